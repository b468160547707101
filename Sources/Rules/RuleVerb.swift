internal import ProxydCivilTime
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydParameterCoding

/// What an action does.
public enum RuleVerb: Sendable {
    case edit(RuleEdit)
    /// Sends the request to another server (map remote).
    case sendTo(RemoteMapping)
    /// Answers with a file (map local).
    case serve(FileMapping)
    /// Answers with the rule's own response; as a response action, replaces the server's response.
    case respond(RuleAnswer)
    /// Answers with a captured response.
    case mock(RuleMock)
    case block(RuleBlock)
    case delay(RuleDelay)
    case throttle(RuleThrottle)
    /// Connects to this address instead of those that the name resolves to.
    case resolve(address: String)
    case via(RuleUpstream)
    /// Shows the named certificate of the configuration to a server that asks for one.
    case clientCertificate(RuleReference)
    case hold(RuleHold)
    case run(RuleScriptCall)
    case tag(String)
    case preset(RulePreset)
}

public struct RuleDelay: Sendable, Hashable {
    /// The minimum delay, in milliseconds.
    public let milliseconds: Int
    /// The maximum of a random additional delay, in milliseconds.
    public let jitterMilliseconds: Int
}

/// How an exchange is ended.
public enum RuleBlock: Sendable, Hashable {
    /// The client gets this status and no content.
    case status(Int)
    /// The client's connection is closed cleanly, without an answer.
    case close
    case reset
    /// The client gets no answer, and its connection stays open until it leaves.
    case hang

    /// The text in a rules file.
    var text: String {
        switch self {
        case .status(let status): String(status)
        case .close: "close"
        case .reset: "reset"
        case .hang: "hang"
        }
    }
}

public struct RuleAction: Sendable {
    public let verb: RuleVerb
    /// Whether its value must not appear in the store or the log.
    public let isSecret: Bool

    init(_ verb: RuleVerb, isSecret: Bool = false) {
        self.verb = verb
        self.isSecret = isSecret
    }

    /// Whether the whole body is needed for the action.
    /// - Parameter holds: Whether anyone can decide about held messages.
    func needsBody(holds: Bool) -> Bool {
        switch verb {
        case .edit(let edit): edit.target.isInBody && !edit.isByLine
        case .hold: holds
        case .run(let call): call.sendsBody
        default: false
        }
    }
}

/// A change to a part of a message.
public struct RuleEdit: Sendable {
    public let target: RuleTarget
    package let change: Change
    /// Whether it is applied to each line of a body while that streams.
    let isByLine: Bool

    init(target: RuleTarget, change: Change, isByLine: Bool = false) {
        self.target = target
        self.change = change
        self.isByLine = isByLine
    }

    package enum Change: Sendable {
        /// Leaves one value, at the position of the first.
        case set(RuleValue)
        /// Adds one more value, at the end.
        case add(RuleValue)
        /// Removes all values; with `match`, only those that it finds.
        case remove(match: LinearRegex?)
        /// Replaces the matches of an expression, at most `countMax` times.
        case replace(RegexReplacement, countMax: Int?)
    }
}

/// A value that an action inserts.
public struct RuleValue: Sendable, Hashable {
    /// The value as text, for fields, cookies, pairs and bodies.
    public let text: String
    /// The value as JSON: a number in the file is a JSON number.
    public let parameter: Parameter

    init(_ text: String) { self.init(text: text, parameter: .string(text)) }

    init(text: String, parameter: Parameter) {
        self.text = text
        self.parameter = parameter
    }
}

/// A part of a message that an action changes.
public enum RuleTarget: Sendable, Hashable {
    /// The header fields of a name, ignoring case.
    case header(String)
    /// A cookie: in Cookie of a request, in Set-Cookie of a response.
    case cookie(String)
    /// The query pairs with a name, which is compared decoded.
    case queryPair(String)
    /// The query in its encoded form.
    case query
    /// The form pairs with a name, which is compared decoded.
    case form(String)
    case json(JSONValuePath)
    case method
    /// The path in its encoded form, without the query.
    case path
    /// The whole URL in its encoded form.
    case url
    case status
    case reason
    /// The body with its content codings removed.
    case body

    /// Whether its value can be kept out of the record; parts of a URL also appear in messages.
    var canBeSecret: Bool {
        switch self {
        case .header, .cookie, .queryPair, .form, .json, .body: true
        case .query, .method, .path, .url, .status, .reason: false
        }
    }

    /// Whether the body is needed to change it.
    var isInBody: Bool {
        switch self {
        case .form, .json, .body: true
        default: false
        }
    }
}

/// Frequent combinations of edits, with a name.
public enum RulePreset: String, Sendable, Hashable, CaseIterable {
    /// A GET or HEAD is not answered from a cache, and its response is not stored in one.
    case noCache = "no-cache"
    /// No cookies are forwarded in either direction.
    case blockCookies = "block-cookies"
}

/// A response that a rule gives.
public struct RuleAnswer: Sendable, Hashable {
    /// The status, from 200 to 599.
    public var status: Int
    /// The header fields in their order; framing fields are generated when it is sent.
    public var fields: HeaderFields
    public var body: [UInt8]
    /// The reason phrase; nil for the default one of the status.
    public var reason: String?
    /// The trailer fields, which make the content chunked; nil for no trailers and no chunks.
    public var trailers: HeaderFields?

    public init(status: Int, fields: HeaderFields = HeaderFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The response head; without its own reason phrase, it gets the default one (RFC 9110 §15).
    public var head: ResponseHead {
        ResponseHead(
            status: status, reason: reason ?? StatusReason.text(of: status), fields: fields)
    }
}

/// The server that a request is sent to instead of its own.
public struct RemoteMapping: Sendable, Hashable {
    /// The value of the Host field.
    public enum Host: Sendable, Hashable {
        /// The server that the request is sent to.
        case change
        /// The host that the client wrote.
        case keep
        /// This host name, with or without a port.
        case name(String)
    }

    /// The server. Its path is added before the path of the request.
    public let server: RawURL
    public let host: Host
    /// The prefix that is removed from the request's path first, whole names only: `/v1` leaves
    /// `/a` of `/v1/a`, and all of `/v10/a`. Empty for none.
    public let stripped: [UInt8]

    /// The URL that a request for `url` is sent to. Its query is kept.
    func url(for url: RawURL) -> RawURL {
        var path = Array(url.path)
        // A request to the server as a whole has no path.
        if path == [UInt8(ascii: "*")] {
            return RawURL(scheme: server.scheme, host: server.host, port: server.port, origin: path)
        }
        path = withoutPrefix(path)
        if path.first != UInt8(ascii: "/") { path.insert(UInt8(ascii: "/"), at: 0) }
        var prefix = Array(server.path)
        while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
        var origin = prefix + path
        if let query = url.query { origin += [UInt8(ascii: "?")] + query }
        return RawURL(scheme: server.scheme, host: server.host, port: server.port, origin: origin)
    }

    private func withoutPrefix(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard !stripped.isEmpty, path.starts(with: stripped) else { return path }
        let rest = path.dropFirst(stripped.count)
        let endsName = stripped.last == slash || rest.isEmpty || rest.first == slash
        return endsName ? Array(rest) : path
    }
}

/// The files that answer requests.
public struct FileMapping: Sendable, Hashable {
    /// What happens to a request for a file that does not exist.
    public enum Missing: Sendable, Hashable {
        /// The client gets 404.
        case notFound
        /// The request is forwarded to its server.
        case forward
    }

    /// The absolute path of a folder, or of one file that answers every request path.
    public let path: String
    /// The prefix that is removed from the request's path first; empty for none.
    public let stripped: String
    /// The file that is served for a folder.
    public let index: String
    public let missing: Missing
    /// Header fields that are added.
    public let fields: [RuleField]
}

/// A header field that a rule adds.
public struct RuleField: Sendable, Hashable {
    public let name: String
    public let value: String
}

/// Which captures answer requests, and how.
public struct RuleMock: Sendable {
    /// What happens to a request that no capture answers.
    public enum Unmatched: Sendable, Hashable {
        /// The client gets this status, from 200 to 599, and a description of the nearest capture.
        case status(Int)
        /// The client's connection is closed without an answer.
        case close
        /// The request is forwarded to its server.
        case forward
    }

    /// How fast a capture is served.
    public enum Pace: String, Sendable, Hashable, CaseIterable {
        /// With the recorded times until the response starts and until it ends.
        case recorded
        /// Immediately.
        case atOnce = "none"
    }

    public let filter: Filter
    public let matching: MockMatching
    public let order: MockOrder
    public let unmatched: Unmatched
    /// Whether dates are moved, so that the response is as fresh as it was.
    public let isRefreshed: Bool
    public let pace: Pace
}

/// Holds a message until a person or a program has decided about it (a breakpoint).
public struct RuleHold: Sendable, Hashable {
    /// What happens to a message that no one decides about.
    public enum Otherwise: String, Sendable, Hashable, CaseIterable {
        case pass
        /// The client's connection ends without an answer.
        case drop
    }

    /// The default maximum time that a message is held, in seconds.
    static let secondsByDefault = 300
    static let secondsAllowed = 1...3_600

    public let seconds: Int
    public var timeoutNs: Int64 { Nanoseconds.clamping(seconds: Int64(seconds)) }
    public let otherwise: Otherwise
}

public struct RuleScriptCall: Sendable, Hashable {
    /// What happens to a message if the script gives no valid answer.
    public enum Otherwise: String, Sendable, Hashable, CaseIterable {
        case pass
        /// The client gets 502.
        case fail
    }

    public let script: String
    /// Whether the script gets the body, which is then sent only once it is complete.
    public let sendsBody: Bool
    /// The timeout for an answer, in milliseconds; nil for the script's own.
    public let timeoutMilliseconds: Int?
    public let otherwise: Otherwise
}

/// A slow network that a rule simulates, and which traffic shares it.
public struct RuleThrottle: Sendable, Hashable {
    public let profile: ThrottleProfile
    public let scope: ThrottleScope
    /// The preset's name, or `custom`.
    public let name: String
}

/// A name in a rules file that the daemon's configuration must define.
public struct RuleReference: Sendable, Hashable {
    public let name: String
    public let line: Int
}

/// The upstream proxy that a rule chooses.
public enum RuleUpstream: Sendable, Hashable {
    /// None: the server is connected to directly.
    case direct
    /// The configured one with this name.
    case named(RuleReference)

    /// The value in a rules file.
    var text: String {
        switch self {
        case .direct: "direct"
        case .named(let reference): reference.name
        }
    }
}

extension RuleSet {
    public var namedUpstreams: [RuleReference] {
        connectVerbs.compactMap { verb in
            if case .via(.named(let reference)) = verb { reference } else { nil }
        }
    }

    public var namedCertificates: [RuleReference] {
        connectVerbs.compactMap { verb in
            if case .clientCertificate(let reference) = verb { reference } else { nil }
        }
    }

    private var connectVerbs: [RuleVerb] { rules.flatMap { $0.actions(in: .connect) }.map(\.verb) }
}
