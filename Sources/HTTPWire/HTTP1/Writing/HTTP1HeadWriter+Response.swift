public import ProxydHTTPModel

/// Writing response heads.
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
    /// The method of the request.
    public var requestMethod: HTTPMethod
    /// Whether another response may follow on the connection.
    public var isPersistent: Bool

    /// Creates a recipient from its request.
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

/// Writes the field lines of one response.
private struct ResponseLines {
    /// The HTTP version in which the response was received.
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
