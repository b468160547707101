public import ProxydHTTPModel

/// Writes the heads of forwarded messages as HTTP/1.1 text (RFC 9112).
public enum HTTP1HeadWriter {
    /// Appends a request's head to `output` and returns how it differs from the head received.
    ///
    /// The request line is in origin-form (RFC 9112 §3.2.1). Host is taken from the URL if the
    /// client's target was absolute, framing fields replace the client's, and every other line is
    /// copied byte for byte in its place. The proxy sends this head, and an exact replay sends it
    /// again. An extended CONNECT becomes its HTTP/1 equivalent, GET with Upgrade (RFC 8441 §5).
    @discardableResult
    public static func write(
        _ request: borrowing ForwardedRequest, into output: inout [UInt8]
    ) -> ForwardingNotes {
        if request.options.isVerbatim, request.head.version < .http2 {
            output.append(contentsOf: request.head.bytes)
            return []
        }
        output.reserveCapacity(output.count &+ request.head.bytes.count &+ 64)
        let method = request.head.isExtendedConnect ? HTTPMethod.get : request.head.method
        output.append(contentsOf: method.rawValue.utf8)
        output.append(0x20)
        if request.options.proxied == nil {
            output.append(contentsOf: request.url.origin)
        } else {
            output.append(contentsOf: request.absoluteTarget)
        }
        output.append(" HTTP/1.1\r\n")
        var lines = RequestLines(request)
        lines.write(request, into: &output)
        let differs =
            request.options.isChanged || request.options.isVerbatim || hasFragment(request.head)
        return differs ? lines.notes.union(.differs) : lines.notes
    }

    private static func hasFragment(_ head: borrowing RequestHead) -> Bool {
        let target = head.bytes.span.extracting(head.targetRange)
        return ByteScan.firstIndex(of: UInt8(ascii: "#"), in: target, from: 0) < target.count
    }
}

private struct RequestLines {
    private let regeneratesHost: Bool
    private let keepsForeignHost: Bool
    private let lineActions: RequestLineActions
    private let connection: ConnectionLine
    private var lines: HTTP1LineWriter
    private(set) var notes: ForwardingNotes = []
    private let joinsCookies: Bool
    private let connectProtocol: String?
    private var wroteHost = false
    private var wroteCookie = false
    private var wroteFraming = false
    private var wroteConnection = false

    init(_ request: borrowing ForwardedRequest) {
        // RFC 9112 §3.2.2: the authority of an absolute target overrides the client's Host.
        let first = request.head.target.first
        let isAbsolute = first != UInt8(ascii: "/") && first != UInt8(ascii: "*")
        let mustRegenerate = request.options.regeneratesHost
        keepsForeignHost = request.options.keepsHost && !mustRegenerate && isAbsolute
        regeneratesHost = mustRegenerate || isAbsolute
        lineActions = RequestLineActions(request)
        var connection = ConnectionLine()
        connection.closes = request.options.closesConnection
        connectProtocol = request.head.connectProtocol
        connection.upgrades = lineActions.offersUpgrade || connectProtocol != nil
        connection.announcesTE = lineActions.takesTrailers
        connection.namesHops = request.options.proxied != nil
        self.connection = connection
        joinsCookies = request.head.version >= .http2
        lines = HTTP1LineWriter(request.head.fields)
    }

    mutating func write(_ request: borrowing ForwardedRequest, into output: inout [UInt8]) {
        if request.head.version >= .http2 {
            addAuthority(request, into: &output)
        } else if lines.fields.first(.host) == nil {
            addHost(request, into: &output)
        }
        for line in lines.fields.lines { write(line, of: request, into: &output) }
        if !wroteFraming { addFraming(request.body, into: &output) }
        if let connectProtocol { addUpgrade(connectProtocol, request, into: &output) }
        if !wroteConnection && !connection.isEmpty {
            lines.add("Connection", into: &output, value: connection.writeValue)
        }
        if let viaPseudonym = request.options.viaPseudonym {
            notes.insert(.differs)
            lines.addVia(viaPseudonym, received: request.head.version, into: &output)
        }
        if let proxied = request.options.proxied { addProxied(proxied, into: &output) }
        lines.flush(into: &output)
        output.append("\r\n")
    }

    private mutating func addProxied(
        _ proxied: ForwardedRequest.ProxiedForm, into output: inout [UInt8]
    ) {
        lines.add("Proxyd-Hops", into: &output) {
            WireNumber.appendDecimal(UInt64(proxied.hopCount), to: &$0)
        }
        guard let value = proxied.authorization else { return }
        lines.add("Proxy-Authorization", into: &output) { $0.append(contentsOf: value) }
    }

    private mutating func write(
        _ line: HeaderFields.Line, of request: borrowing ForwardedRequest,
        into output: inout [UInt8]
    ) {
        switch lineActions.action(of: line, among: lines.fields) {
        case .kept: writeKept(line, into: &output)
        case .dropped: break
        case .lost: notes.insert(.differs)
        case .host: writeHost(line, of: request, into: &output)
        case .framing: writeFraming(request.body, inPlaceOf: line, into: &output)
        case .connection: writeConnection(line, into: &output)
        case .te: writeTE(line, into: &output)
        case .upgrade: writeUpgrade(line, into: &output)
        case .maxForwards(let count):
            notes.insert(.differs)
            lines.replace(line, into: &output) { WireNumber.appendDecimal(count, to: &$0) }
        }
    }

    /// An extended CONNECT has no key; HTTP/1 gets one generated by the proxy.
    private mutating func addUpgrade(
        _ name: String, _ request: borrowing ForwardedRequest, into output: inout [UInt8]
    ) {
        lines.add("Upgrade", into: &output) { $0.append(contentsOf: name.utf8) }
        guard let key = request.options.webSocketKey else { return }
        lines.add("Sec-WebSocket-Key", into: &output) { $0.append(contentsOf: key.utf8) }
    }

    private func isForeignKey(_ line: HeaderFields.Line) -> Bool {
        connectProtocol != nil && line.name == .other
            && ASCII.equalsIgnoringCase(
                lines.fields.bytes.span.extracting(line.nameRange), "sec-websocket-key")
    }

    /// HTTP/2 may split Cookie into several lines, which must be joined for HTTP/1 (RFC 9113
    /// §8.2.3).
    private mutating func writeKept(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !isForeignKey(line) else { return }
        guard line.name == .cookie, joinsCookies else { return lines.keep(line, into: &output) }
        guard !wroteCookie else { return }
        wroteCookie = true
        let fields = lines.fields
        lines.replace(line, into: &output) { output in
            var isFirst = true
            for crumb in fields.lines where crumb.name == .cookie {
                if !isFirst { output.append("; ") }
                isFirst = false
                output.append(contentsOf: fields.bytes[crumb.valueRange])
            }
        }
    }

    private mutating func addHost(
        _ request: borrowing ForwardedRequest, into output: inout [UInt8]
    ) {
        wroteHost = true
        notes.insert(.differs)
        let authority = request.url.authority
        lines.add("Host", into: &output) { $0.append(contentsOf: authority.utf8) }
    }

    /// HTTP/2 names the server in a pseudo-header field: Host becomes the first line, with the
    /// value the client wrote.
    private mutating func addAuthority(
        _ request: borrowing ForwardedRequest, into output: inout [UInt8]
    ) {
        guard !request.options.regeneratesHost,
            let line = request.head.pseudoField(":authority") ?? lines.fields.first(.host)
        else { return addHost(request, into: &output) }
        wroteHost = true
        let value = request.head.bytes[line.valueRange]
        lines.add("Host", into: &output) { $0.append(contentsOf: value) }
    }

    private mutating func writeHost(
        _ line: HeaderFields.Line, of request: borrowing ForwardedRequest,
        into output: inout [UInt8]
    ) {
        guard !wroteHost else { return }
        wroteHost = true
        guard regeneratesHost, !names(request.url, line) else {
            return lines.keep(line, into: &output)
        }
        guard !keepsForeignHost else {
            notes.insert(.keepsForeignHost)
            return lines.keep(line, into: &output)
        }
        notes.insert(.differs)
        let authority = request.url.authority
        lines.replace(line, into: &output) { $0.append(contentsOf: authority.utf8) }
    }

    /// Whether the client's Host already means the host and port of a URL; its spelling is kept
    /// then.
    private func names(_ url: borrowing RawURL, _ line: HeaderFields.Line) -> Bool {
        Authority.means(
            lines.fields.bytes.span.extracting(line.valueRange), host: url.host, port: url.port,
            defaultPort: RawURL.defaultPort(scheme: url.scheme))
    }

    private mutating func writeFraming(
        _ body: BodyLength, inPlaceOf line: HeaderFields.Line, into output: inout [UInt8]
    ) {
        guard !wroteFraming else { return }
        if lines.says(body, line) {
            wroteFraming = true
            lines.keep(line, into: &output)
        } else {
            addFraming(body, into: &output)
        }
    }

    private mutating func addFraming(_ body: BodyLength, into output: inout [UInt8]) {
        wroteFraming = true
        lines.addFraming(body, into: &output)
    }

    private mutating func writeConnection(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !wroteConnection, !connection.isEmpty else { return }
        wroteConnection = true
        lines.writeConnection(connection, inPlaceOf: line, into: &output)
    }

    /// `trailers` is the only value that can be passed on, because the proxy decodes no transfer
    /// coding except chunked (RFC 9110 §10.1.4).
    private mutating func writeTE(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard connection.announcesTE, lines.fields.hasMember("trailers", in: line) else { return }
        if lines.fields.bytes[line.valueRange].elementsEqual("trailers".utf8) {
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
}

extension HTTP1HeadWriter {
    /// Appends a response's head to `output`.
    ///
    /// The status line is HTTP/1.1 with the server's code and reason. Framing fields replace the
    /// server's, except for a transfer coding that the proxy does not decode, which is announced to
    /// clients that know transfer codings. `Connection: close` is added if no other response
    /// follows; every other line is copied byte for byte in its place. The body must be sent as
    /// `recipient.framing(of:)` says; a body that ends with the connection closes it whatever the
    /// recipient wants.
    public static func write(
        _ response: borrowing ForwardedResponse, to recipient: HTTP1Recipient,
        into output: inout [UInt8]
    ) {
        output.reserveCapacity(output.count &+ response.head.bytes.count &+ 64)
        output.append("HTTP/1.1 ")
        WireNumber.appendDecimal(UInt64(clamping: response.head.status), to: &output)
        output.append(0x20)
        appendReason(response.head, to: &output)
        output.append("\r\n")
        var lines = ResponseLines(response, to: recipient)
        lines.write(response.options, into: &output)
    }

    /// Appends the reason phrase, with a space in place of each control byte.
    private static func appendReason(_ head: borrowing ResponseHead, to output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: head.bytes[head.reasonRange])
        for index in start..<output.count where ByteClass.isForbiddenInText(output[index]) {
            output[index] = 0x20
        }
    }
}

/// The recipient of an HTTP/1 response.
public struct HTTP1Recipient: Sendable {
    /// The version of the request.
    public var version: HTTPVersion
    public var requestMethod: HTTPMethod
    /// Whether another response may follow on the connection.
    public var isPersistent: Bool

    public init(version: HTTPVersion, requestMethod: HTTPMethod, isPersistent: Bool) {
        self.version = version
        self.requestMethod = requestMethod
        self.isPersistent = isPersistent
    }

    /// Returns how to send a body that the server delimits like this: chunked becomes `.untilClose`
    /// for an HTTP/1.0 client (RFC 9112 §6.1).
    public func framing(of body: BodyLength) -> BodyLength {
        body == .chunked && version < .http11 ? .untilClose : body
    }
}

private struct ResponseLines {
    private let receivedVersion: HTTPVersion
    private let isInterim: Bool
    /// What the framing lines should say; for a response without a body, what it says about the
    /// body that it omits.
    private let framing: BodyLength
    private let received: ConnectionOptions
    private let connection: ConnectionLine
    /// Whether the body is forwarded in the server's transfer coding, and Transfer-Encoding with
    /// it.
    private let keepsTransferCoding: Bool
    private var lines: HTTP1LineWriter
    private var wroteFraming = false
    private var wroteConnection = false

    init(_ response: borrowing ForwardedResponse, to recipient: HTTP1Recipient) {
        let body = recipient.framing(of: response.body)
        receivedVersion = response.head.version
        isInterim = response.head.isInformational
        let isBodiless = Framing.isBodiless(
            status: response.head.status, to: recipient.requestMethod)
        framing = isBodiless ? Self.describedFraming(response.head, to: recipient) : body
        keepsTransferCoding =
            framing == .untilClose && recipient.version >= .http11
            && response.head.hasOpaqueTransferCoding
        received = ConnectionOptions(response.head.fields)
        var connection = ConnectionLine()
        let isTunnel = Framing.isTunnel(status: response.head.status, to: recipient.requestMethod)
        let isLast = !recipient.isPersistent || (body == .untilClose && !isBodiless)
        connection.closes = !isTunnel && !isInterim && isLast
        // RFC 9110 §7.8 and §15.5.22: only these two must name the protocols.
        if received.upgrades && (response.head.status == 101 || response.head.status == 426) {
            connection.upgrades = response.head.fields.first(.upgrade) != nil
        }
        self.connection = connection
        lines = HTTP1LineWriter(response.head.fields)
    }

    /// Returns what a response to HEAD, or a 304, says about the body it omits, if that is valid.
    /// Nothing may be said in 1xx, 204 and 2xx to CONNECT (RFC 9110 §8.6, RFC 9112 §6.1).
    private static func describedFraming(
        _ head: borrowing ResponseHead, to recipient: HTTP1Recipient
    ) -> BodyLength {
        if head.status < 200 || head.status == 204 || recipient.requestMethod == .connect {
            return .none
        }
        let codings = TransferCodings(head.fields)
        let length = try? Framing.contentLength(head.fields, role: .response)
        guard codings.isPresent else { return length ?? .none }
        let isChunked =
            codings.isChunkedAlone && length == BodyLength.none && recipient.version >= .http11
        return isChunked ? .chunked : .none
    }

    mutating func write(_ options: borrowing ForwardedResponse.Options, into output: inout [UInt8])
    {
        for line in lines.fields.lines { write(line, into: &output) }
        if !wroteFraming { lines.addFraming(framing, into: &output) }
        if !wroteConnection && !connection.isEmpty {
            lines.add("Connection", into: &output, value: connection.writeValue)
        }
        if let date = options.date, !isInterim, lines.fields.first(.date) == nil {
            lines.add("Date", into: &output) { $0.append(contentsOf: date.utf8) }
        }
        if let viaPseudonym = options.viaPseudonym {
            lines.addVia(viaPseudonym, received: receivedVersion, into: &output)
        }
        lines.flush(into: &output)
        output.append("\r\n")
    }

    private mutating func write(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        switch line.name {
        case .transferEncoding where keepsTransferCoding: lines.keep(line, into: &output)
        case .contentLength, .transferEncoding: writeFraming(line, into: &output)
        case .connection: writeConnection(line, into: &output)
        case .upgrade where connection.upgrades: lines.keep(line, into: &output)
        case .upgrade, .proxyConnection, .keepAlive, .te, .http2Settings: break
        default:
            if !received.nominates(line, of: lines.fields) { lines.keep(line, into: &output) }
        }
    }

    private mutating func writeFraming(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !wroteFraming else { return }
        wroteFraming = true
        if lines.says(framing, line) {
            lines.keep(line, into: &output)
        } else {
            lines.addFraming(framing, into: &output)
        }
    }

    private mutating func writeConnection(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        guard !wroteConnection, !connection.isEmpty else { return }
        wroteConnection = true
        lines.writeConnection(connection, inPlaceOf: line, into: &output)
    }
}
