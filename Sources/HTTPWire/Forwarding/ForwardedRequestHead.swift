public import ProxydHTTPModel

/// The head that goes to the origin, from the one that came from the client (RFC 9110 §7.6,
/// RFC 9112 §3.2). The proxy sends it, and an exact replay sends it again.
public enum ForwardedRequestHead {
    /// Writes the head behind `output`.
    ///
    /// Request line in origin-form and HTTP/1.1; Host of `url` in the place of the client's; fields
    /// for the client's connection only are left out; framing as `body` says, in the place of the
    /// client's; every other line octet for octet, in its place.
    /// Max-Forwards counts as `options` say. Says how what was written differs from what came.
    @discardableResult
    public static func write(
        _ head: RequestHead,
        url: RawURL,
        body: BodyLength,
        options: ForwardingOptions = ForwardingOptions(),
        into output: inout [UInt8]
    ) -> ForwardingNotes {
        output.reserveCapacity(output.count &+ head.octets.count &+ 64)
        output.append(contentsOf: head.method.rawValue.utf8)
        output.append(0x20)
        output.append(contentsOf: url.origin)
        output.append(" HTTP/1.1\r\n")
        var forwarder = RequestForwarder(head, url: url, body: body, options: options)
        forwarder.writeLines(into: &output)
        if hasFragment(head) { return forwarder.notes.union(.differs) }
        return forwarder.notes
    }

    private static func hasFragment(_ head: borrowing RequestHead) -> Bool {
        let target = head.octets.span.extracting(head.targetRange)
        return OctetScan.firstIndex(of: UInt8(ascii: "#"), in: target, from: 0) < target.count
    }
}

/// Writes the field lines of one request.
private struct RequestForwarder {
    /// The version the request came in.
    private let receivedVersion: HTTPVersion
    private let url: RawURL
    private let body: BodyLength
    private let viaPseudonym: String?
    private let maxForwards: UInt64?
    private let regeneratesHost: Bool
    /// Whether a Host that names another origin than the target stays.
    private let keepsForeignHost: Bool
    private let received: ConnectionOptions
    private let connection: ConnectionLine
    private var lines: ForwardedHeadWriter
    private(set) var notes: ForwardingNotes = []
    private var wroteHost = false
    private var wroteFraming = false
    private var wroteConnection = false

    init(
        _ head: borrowing RequestHead, url: RawURL, body: BodyLength,
        options: borrowing ForwardingOptions
    ) {
        receivedVersion = head.version
        self.url = url
        self.body = body
        viaPseudonym = options.viaPseudonym
        maxForwards = options.maxForwards
        // RFC 9112 §3.2.2: an absolute target's authority wins over the client's Host.
        let first = head.target.first
        let isAbsolute = first != UInt8(ascii: "/") && first != UInt8(ascii: "*")
        keepsForeignHost = options.keepsHost && !options.regeneratesHost && isAbsolute
        regeneratesHost = options.regeneratesHost || isAbsolute
        received = ConnectionOptions(head.fields)
        var connection = ConnectionLine()
        connection.closes = options.closesConnection
        if received.upgrades && options.allowsUpgrade && head.version >= .http11 {
            connection.upgrades = UpgradeOffer.hasAllowed(head.fields)
        }
        if received.nominatesTE {
            connection.announcesTE = head.fields.lines.contains {
                $0.name == .te && head.fields.hasMember("trailers", in: $0)
            }
        }
        self.connection = connection
        lines = ForwardedHeadWriter(head.fields)
    }

    mutating func writeLines(into output: inout [UInt8]) {
        if lines.fields.first(.host) == nil { addHost(into: &output) }
        for line in lines.fields.lines { write(line, into: &output) }
        if !wroteFraming { addFraming(into: &output) }
        if !wroteConnection && !connection.isEmpty {
            lines.add("Connection", into: &output, value: connection.writeValue)
        }
        if let viaPseudonym {
            notes.insert(.differs)
            lines.addVia(viaPseudonym, received: receivedVersion, into: &output)
        }
        lines.flush(into: &output)
        output.append("\r\n")
    }

    private mutating func write(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        switch line.name {
        case .host: writeHost(line, into: &output)
        case .contentLength, .transferEncoding: writeFraming(line, into: &output)
        case .connection: writeConnection(line, into: &output)
        case .te: writeTE(line, into: &output)
        case .upgrade: writeUpgrade(line, into: &output)
        case .proxyConnection, .keepAlive, .proxyAuthorization, .http2Settings: break
        case .expect where receivedVersion < .http11: writeOldExpect(line, into: &output)
        case .maxForwards where maxForwards != nil: writeMaxForwards(line, into: &output)
        default:
            if !received.nominates(line, of: lines.fields) { lines.keep(line, into: &output) }
        }
    }

    private mutating func addHost(into output: inout [UInt8]) {
        wroteHost = true
        notes.insert(.differs)
        lines.add("Host", into: &output) { $0.append(contentsOf: url.authority.utf8) }
    }

    private mutating func writeHost(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !wroteHost else { return }
        wroteHost = true
        guard regeneratesHost, !namesOrigin(line) else { return lines.keep(line, into: &output) }
        guard !keepsForeignHost else {
            notes.insert(.keepsForeignHost)
            return lines.keep(line, into: &output)
        }
        notes.insert(.differs)
        lines.replace(line, into: &output) { $0.append(contentsOf: url.authority.utf8) }
    }

    /// Whether the client's Host already means the URL's host and port; then its spelling stays.
    private func namesOrigin(_ line: HeaderFields.Line) -> Bool {
        let value = lines.fields.octets.span.extracting(line.valueRange)
        guard let authority = try? Authority(value) else { return false }
        return ASCII.equalsIgnoringCase(authority.host.utf8.span, url.host.utf8.span)
            && authority.port ?? RawURL.defaultPort(scheme: url.scheme) == url.port
    }

    private mutating func writeFraming(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !wroteFraming else { return }
        if lines.says(body, line) {
            wroteFraming = true
            lines.keep(line, into: &output)
        } else {
            addFraming(into: &output)
        }
    }

    private mutating func addFraming(into output: inout [UInt8]) {
        wroteFraming = true
        lines.addFraming(body, into: &output)
    }

    private mutating func writeConnection(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !wroteConnection, !connection.isEmpty else { return }
        wroteConnection = true
        if connection.isSame(as: line, of: lines.fields) {
            lines.keep(line, into: &output)
        } else {
            lines.replace(line, into: &output, value: connection.writeValue)
        }
    }

    /// `trailers` is all we can pass on: we decode no transfer coding but chunked
    /// (RFC 9110 §10.1.4).
    private mutating func writeTE(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard connection.announcesTE, lines.fields.hasMember("trailers", in: line) else { return }
        if lines.fields.octets[line.valueRange].elementsEqual("trailers".utf8) {
            lines.keep(line, into: &output)
        } else {
            lines.replace(line, into: &output) { $0.append("trailers") }
        }
    }

    private mutating func writeUpgrade(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard connection.upgrades else { return }
        let count = UpgradeOffer.count(line, of: lines.fields)
        if count.allowed == count.all {
            lines.keep(line, into: &output)
        } else if count.allowed > 0 {
            let fields = lines.fields
            lines.replace(line, into: &output) {
                UpgradeOffer.writeAllowed(line, of: fields, into: &$0)
            }
        }
    }

    private mutating func writeMaxForwards(
        _ line: HeaderFields.Line,
        into output: inout [UInt8]
    ) {
        guard let maxForwards else { return }
        notes.insert(.differs)
        lines.replace(line, into: &output) { WireNumber.appendDecimal(maxForwards, to: &$0) }
    }

    /// HTTP/1.0 does not know 100-continue (RFC 9110 §10.1.1), and we forward as 1.1.
    private mutating func writeOldExpect(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !lines.fields.hasMember("100-continue", in: line) else {
            notes.insert(.differs)
            return
        }
        if !received.nominates(line, of: lines.fields) { lines.keep(line, into: &output) }
    }
}
