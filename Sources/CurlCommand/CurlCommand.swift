public import ProxydHTTPModel
public import ProxydRedaction

/// A request as a curl command for bash and dash that sends the bytes of the request: every field
/// line in its order, spelling and spacing, and the request target and body unchanged. Only
/// Content-Length comes from curl, as the last field.
///
/// The only behaviour of curl this relies on is its order of start line and fields. curl adds
/// nothing to a complete head: User-Agent, Accept, Content-Type and Expect are switched off if
/// absent.
public struct CurlCommand: Sendable, Hashable, CustomStringConvertible {
    /// The parts of the request that the command does not send.
    public let omissions: [CurlOmission]
    /// The shell command whose output is piped to curl's standard input, or nil if there is none.
    private let input: String?
    /// Options with their values, quoted, in curl's order; the URL is the last.
    private let words: [String]

    /// The description of a request that cannot be a command.
    public static let unavailableDescription = "$ curl command could not be created"

    /// Creates a command for a captured request, or returns nil if the head could not be parsed, or
    /// for CONNECT, which starts a tunnel and is not a request to a server. Extended CONNECT (RFC
    /// 8441) is supported: curl requests its protocol as in HTTP/1.1.
    ///
    /// A request that was sent to a proxy in absolute form is sent directly to its server: in
    /// origin form and without the fields for the proxy.
    public init?(_ request: Request, options: CurlOptions = CurlOptions()) {
        guard let head = request.head, let url = request.url, !head.isClassicConnect else {
            return nil
        }
        let opening = CurlOpening(head)
        var builder = CurlCommandBuilder(method: opening.method, url: url, options: options)
        builder.addTarget(head.target.first == UInt8(ascii: "/") ? Array(head.target) : url.origin)
        builder.addVersion(opening.version)
        let wasForProxy = head.target.first != UInt8(ascii: "/")
        var body = CurlBody.bytes(request.body.kept)
        if request.body.kept.isEmpty, opening.isUpgrade || !request.body.isTruncated {
            body = .none
        } else if request.body.isTruncated {
            let missing = request.body.byteCount - Int64(request.body.kept.count)
            builder.omissions.append(.bodyEnd(byteCount: missing))
        }
        builder.add(
            fields: opening.fields,
            authority: head.pseudoField(":authority").map { Array(head.bytes[$0.valueRange]) },
            body: body, wasForProxy: wasForProxy)
        if request.trailers?.isEmpty == false { builder.omissions.append(.trailers) }
        self.init(builder)
    }

    /// Creates a command for a request that has not been sent, or returns nil for CONNECT.
    public init?(
        method: HTTPMethod, url: RawURL, fields: HeaderFields, body: CurlBody = .none,
        options: CurlOptions = CurlOptions(isHeadComplete: false)
    ) {
        guard method != .connect else { return nil }
        var builder = CurlCommandBuilder(method: method, url: url, options: options)
        builder.addTarget(url.origin)
        builder.add(fields: fields, authority: nil, body: body, wasForProxy: false)
        self.init(builder)
    }

    private init(_ builder: CurlCommandBuilder) {
        omissions = builder.omissions
        input = builder.input
        words = builder.options + [builder.url]
    }

    /// The command for a shell. `isVerbose` adds `-v`.
    public func text(_ layout: CurlLayout, isVerbose: Bool = false) -> String {
        let pipe = input.map { $0 + " | " } ?? ""
        let program = isVerbose ? "curl -v" : "curl"
        return pipe + ([program] + words).joined(separator: layout.separator)
    }

    /// The verbose command after a prompt, one option per line.
    public var description: String { "$ " + text(.multiLine, isVerbose: true) }
}

public struct CurlOptions: Sendable, Hashable {
    /// What is hidden; nil shows everything.
    public var redaction: Redaction?
    /// Whether the fields are complete, as in a captured head, so that curl must not add any.
    /// Otherwise curl may add Host, User-Agent and Accept.
    public var isHeadComplete: Bool
    /// A user for authentication challenges, as in `-u user:password`; not among the fields.
    public var user: CurlUser?
    /// A Cookie value that is not among the fields, as in `-b`.
    public var cookies: [UInt8]?

    /// Creates options; by default secrets are redacted and the head is complete.
    public init(
        redaction: Redaction? = Redaction(), isHeadComplete: Bool = true, user: CurlUser? = nil,
        cookies: [UInt8]? = nil
    ) {
        self.redaction = redaction
        self.isHeadComplete = isHeadComplete
        self.user = user
        self.cookies = cookies
    }
}

/// The name and password with which curl answers a challenge.
public struct CurlUser: Sendable, Hashable {
    /// The user name; never redacted.
    public var name: String
    /// The password; redacted together with Authorization.
    public var password: String

    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}

public enum CurlLayout: Sendable, Hashable {
    /// On one line, except for line feeds within the body.
    case oneLine
    /// One option per line, joined by a backslash, a line feed and a tab.
    case multiLine

    var separator: String {
        switch self {
        case .oneLine: " "
        case .multiLine: " \\\n\t"
        }
    }
}

public enum CurlBody: Sendable, Hashable {
    case none
    /// These bytes, written into the command.
    case bytes([UInt8])
    /// The contents of a file at the time the command runs.
    case file(path: String)
    /// A body that the command does not contain: a stream that can be read only once.
    case omitted
}

/// A part of the request that a command does not send.
public enum CurlOmission: Sendable, Hashable, CustomStringConvertible {
    /// curl cannot send trailer fields.
    case trailers
    /// The end of the body was not stored; the number of missing bytes.
    case bodyEnd(byteCount: Int64)
    /// A stream can be read only once, and creating the command must not read it.
    case body
    /// A field line that no command can contain, because it has a line break or NUL in it.
    case field(name: String)
    /// A Content-Length that differs from the length of the body that the command sends.
    case contentLength
    /// curl would wait for the response body of a HEAD request that has a body itself.
    case bodyOfHead

    /// The omission as the start of a sentence.
    public var description: String {
        switch self {
        case .trailers: "trailer fields"
        case .bodyEnd(let byteCount): "the last \(byteCount) bytes of the body"
        case .body: "the body, a stream"
        case .field(let name): "the field \(name)"
        case .contentLength: "a Content-Length that does not fit the body"
        case .bodyOfHead: "the body of a HEAD request"
        }
    }
}

/// A captured head in a form that curl can send. An extended CONNECT (RFC 8441) becomes the
/// HTTP/1.1 upgrade to the same protocol (RFC 9110 §7.8), because curl cannot send the original.
struct CurlOpening {
    /// The sample key of RFC 6455 §1.3, for upgrades that need a key and had none.
    private static let webSocketKey = "dGhlIHNhbXBsZSBub25jZQ=="

    let method: HTTPMethod
    let version: HTTPVersion
    let fields: HeaderFields
    /// Whether the data after the head is not a body: it is, or may become, another protocol.
    let isUpgrade: Bool

    init(_ head: RequestHead) {
        guard let name = head.connectProtocol else {
            (method, version, fields) = (head.method, head.version, head.fields)
            isUpgrade =
                head.fields.first(.upgrade) != nil && head.fields.first(.contentLength) == nil
                && head.fields.first(.transferEncoding) == nil
            return
        }
        (method, version, isUpgrade) = (.get, .http11, true)
        var fields = head.fields
        fields.append(name: "Connection", value: "Upgrade")
        fields.append(name: "Upgrade", value: name)
        if name.lowercased() == "websocket", fields["Sec-WebSocket-Key"] == nil {
            fields.append(name: "Sec-WebSocket-Key", value: CurlOpening.webSocketKey)
        }
        self.fields = fields
    }
}
