public import ProxydHTTPModel

/// The meaning of a request's fields for its connection.
extension RequestHead {
    /// Whether another request may follow on the client's connection: only for HTTP/1.1 without
    /// `close`, because a proxy never keeps the connection of an HTTP/1.0 client (RFC 9112 §9.3).
    public var isPersistent: Bool {
        version >= .http11 && !ConnectionOptions(fields).closes
    }

    /// Whether the client waits for a 100 response before it sends the body; never true for
    /// HTTP/1.0 (RFC 9110 §10.1.1).
    public var expectsContinue: Bool {
        guard version >= .http11 else { return false }
        return fields.lines.contains { line in
            line.name == .expect && fields.hasMember("100-continue", in: line)
        }
    }

    /// The protocols that the client offers to switch to, as written; only for HTTP/1.1 and only if
    /// Connection names the field (RFC 9110 §7.8).
    public var upgradeProtocols: [String] {
        guard version >= .http11, fields.first(.upgrade) != nil,
            ConnectionOptions(fields).upgrades
        else { return [] }
        return fields.listMembers(of: .upgrade)
    }

    /// The `upgradeProtocols` that `HTTP1HeadWriter` forwards to the server, which may switch only
    /// to these.
    public var forwardedUpgradeProtocols: [String] {
        upgradeProtocols.filter { UpgradeOffer.isAllowed($0.utf8Span.span) }
    }

    /// The remaining number of hops for TRACE or OPTIONS (RFC 9110 §7.6.2). Larger numbers are
    /// reduced to the maximum; nil if there is none or it is not a number.
    public var maxForwards: UInt64? {
        guard let line = fields.first(.maxForwards) else { return nil }
        let digits = fields.bytes.span.extracting(line.valueRange)
        if let value = WireNumber.decimal(digits) { return value }
        let isNumber =
            digits.count > 0
            && digits.indices.allSatisfy { index in
                ByteClass.isDigit(fields.bytes[line.valueRange.lowerBound + index])
            }
        return isNumber ? WireNumber.lengthMax : nil
    }

    public var connectionTokens: [String] { fields.connectionTokens }
}

/// The meaning of a response's fields for its connection.
extension ResponseHead {
    /// Whether the server's connection may carry another exchange: for HTTP/1.1 without `close`,
    /// for HTTP/1.0 with `keep-alive` (RFC 9112 §9.3). It cannot after a body that ends with the
    /// connection, or after a tunnel.
    public var isPersistent: Bool {
        let options = ConnectionOptions(fields)
        return !options.closes && (version >= .http11 || options.keepsAlive)
    }

    /// The protocols that the server switched to (101) or offers, as written (RFC 9110 §7.8).
    public var upgradeProtocols: [String] {
        guard fields.first(.upgrade) != nil, ConnectionOptions(fields).upgrades else { return [] }
        return fields.listMembers(of: .upgrade)
    }

    /// Whether the content has transfer codings that do not end in chunked: it is forwarded
    /// unchanged and ends with the connection (RFC 9112 §6.3 rule 4). HTTP/1.0 clients cannot be
    /// told about the coding.
    public var hasOpaqueTransferCoding: Bool {
        guard fields.first(.transferEncoding) != nil else { return false }
        let codings = TransferCodings(fields)
        return !codings.isLastChunked && codings.memberCount > codings.identityCount
    }

    /// Whether the response has no body, whatever its fields say (RFC 9112 §6.3).
    public func isBodiless(to method: HTTPMethod) -> Bool {
        Framing.isBodiless(status: status, to: method)
    }

    public var connectionTokens: [String] { fields.connectionTokens }

    /// Whether lines had to be repaired: `fields` then has its own bytes, with no status line
    /// before the first field.
    public var wasRepaired: Bool { fields.lines.first?.start == 0 }
}

/// A request whose `Expect: 100-continue` was answered with 417. Its client may repeat it without
/// the expectation, or may still send the body of the first request (RFC 9110 §10.1.1), whose
/// content must not be mistaken for another request.
public struct UnmetExpectation: Sendable {
    private let refused: RequestHead

    public init(_ refused: RequestHead) { self.refused = refused }

    /// Whether a partially received head may still turn out to be the repeated request.
    public func mayBecomeRepeated(_ partialHead: [UInt8]) -> Bool {
        zip(startLine(of: refused), partialHead).allSatisfy { $0 == $1 }
    }

    /// Whether a request repeats the refused one: its head is the same byte for byte, apart from
    /// Expect lines.
    public func isRepeated(by head: RequestHead) -> Bool {
        guard startLine(of: head) == startLine(of: refused) else { return false }
        let ours = refused.fields.lines.filter { $0.name != .expect }
        let theirs = head.fields.lines.filter { $0.name != .expect }
        return ours.count == theirs.count
            && zip(ours, theirs).allSatisfy { our, their in
                refused.fields.bytes[our.range] == head.fields.bytes[their.range]
            }
    }

    private func startLine(of head: RequestHead) -> ArraySlice<UInt8> {
        head.bytes[..<(head.fields.lines.first.map { Int($0.start) } ?? head.bytes.count)]
    }
}

/// The options in the Connection lines of a message (RFC 9110 §7.6.1).
struct ConnectionOptions {
    private(set) var closes = false
    private(set) var keepsAlive = false
    private(set) var upgrades = false
    private(set) var nominatesTE = false
    /// The ranges of other options in the fields' bytes: names of fields that apply to this
    /// connection only.
    private var nominated: [Range<Int>] = []

    init(_ fields: borrowing HeaderFields) {
        let lines = fields.lines.span
        for index in lines.indices where lines[index].name == .connection {
            let bytes = fields.bytes.span
            ListMembers.forEach(bytes, lines[index].valueRange) {
                add(bytes.extracting($0), at: $0)
            }
        }
    }

    private mutating func add(_ option: Span<UInt8>, at range: Range<Int>) {
        if ASCII.equalsIgnoringCase(option, "keep-alive") {
            keepsAlive = true
        } else if ASCII.equalsIgnoringCase(option, "close") {
            closes = true
        } else if ASCII.equalsIgnoringCase(option, "upgrade") {
            upgrades = true
        } else if ASCII.equalsIgnoringCase(option, "te") {
            nominatesTE = true
        } else {
            nominated.append(range)
        }
    }

    /// Whether Connection names a line as applying to this connection only. Framing and routing
    /// fields are never treated this way: naming them must not change where a message goes or ends.
    func nominates(_ line: HeaderFields.Line, of fields: HeaderFields) -> Bool {
        guard !nominated.isEmpty else { return false }
        switch line.name {
        case .host, .contentLength, .transferEncoding: return false
        default: break
        }
        let bytes = fields.bytes.span
        let name = bytes.extracting(line.nameRange)
        for range in nominated
        where ASCII.equalsIgnoringCase(bytes.extracting(range), name) { return true }
        return false
    }
}

/// Credentials and challenges of NTLM and Negotiate. They authenticate the connection rather than
/// the request: later requests on it are attributed to the same user (RFC 4559 §6).
extension HeaderFields {
    /// Whether the fields contain such credentials or challenges, for a server or a proxy.
    public var authenticateConnection: Bool {
        let lines = self.lines.span
        for index in lines.indices {
            switch lines[index].name {
            case .authorization, .proxyAuthorization, .wwwAuthenticate, .proxyAuthenticate:
                if namesConnectionScheme(lines[index]) { return true }
            default: continue
            }
        }
        return false
    }

    /// Whether a line's credentials or one of its challenges use such a scheme. Commas within
    /// quoted strings are treated as separators too, because anything that looks like a challenge
    /// to some client counts as one.
    private func namesConnectionScheme(_ line: Line) -> Bool {
        let bytes = self.bytes.span
        var isFound = false
        ListMembers.forEach(bytes, line.valueRange) { member in
            var end = member.lowerBound
            while end < member.upperBound, !ASCII.isOWS(bytes[end]) { end &+= 1 }
            let scheme = bytes.extracting(member.lowerBound..<end)
            if ASCII.equalsIgnoringCase(scheme, "ntlm")
                || ASCII.equalsIgnoringCase(scheme, "negotiate")
            {
                isFound = true
            }
        }
        return isFound
    }

    /// Returns the list members in all lines with this name, as written.
    func listMembers(of name: FieldName) -> [String] {
        var members: [String] = []
        for line in lines where line.name == name {
            ListMembers.forEach(bytes.span, line.valueRange) {
                members.append(ASCII.text(bytes[$0]))
            }
        }
        return members
    }

    /// Whether a line's list has a member, which is given in lower case.
    func hasMember(_ lowercase: StaticString, in line: Line) -> Bool {
        let bytes = self.bytes.span
        var isFound = false
        ListMembers.forEach(bytes, line.valueRange) { member in
            if ASCII.equalsIgnoringCase(bytes.extracting(member), lowercase) { isFound = true }
        }
        return isFound
    }

    /// The members of all Connection lines, in lower case.
    var connectionTokens: [String] {
        guard first(.connection) != nil else { return [] }
        return listMembers(of: .connection).map { token in
            String(decoding: token.utf8.map(ASCII.lowercased), as: UTF8.self)
        }
    }
}

/// Comma-separated lists without quoted strings, such as the value of Connection.
enum ListMembers {
    /// Calls `body` with the range of each member that is not empty (RFC 9110 §5.6.1).
    static func forEach(_ bytes: Span<UInt8>, _ range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, bytes[end] != 0x2C { end &+= 1 }
            let member = ASCII.trimmingOWS(bytes, start..<end)
            if !member.isEmpty { body(member) }
            start = end &+ 1
        }
    }
}
