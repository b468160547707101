public import ProxydHTTPModel

/// The head that goes to the client, from the one that came from the server (RFC 9110 §7.6).
public enum ForwardedResponseHead {
    /// Writes the head behind `output`.
    ///
    /// Status line in HTTP/1.1 with the server's code and reason; fields for its connection
    /// only are left out; framing as `body` says, in the place of the server's, but for a transfer
    /// coding that nobody undoes, which is told to clients that know of it; `Connection: close`
    /// where no other response follows; every other line octet for octet, in its place.
    ///
    /// `body` says how the server ends the body and afterwards how we must: chunks become
    /// `.untilClose` for a client of HTTP/1.0 (RFC 9112 §6.1). A body until close closes the
    /// connection whatever `persistent` says.
    public static func write(
        _ head: ResponseHead,
        toVersion version: HTTPVersion,
        requestMethod: HTTPMethod,
        body: inout BodyLength,
        persistent: Bool,
        options: ForwardingOptions = ForwardingOptions(),
        into output: inout [UInt8]
    ) {
        if body == .chunked && version < .http11 { body = .untilClose }
        output.reserveCapacity(output.count &+ head.octets.count &+ 64)
        output.append("HTTP/1.1 ")
        WireNumber.appendDecimal(UInt64(clamping: head.status), to: &output)
        output.append(0x20)
        appendReason(head, to: &output)
        output.append("\r\n")
        var forwarder = ResponseForwarder(
            head,
            toVersion: version,
            requestMethod: requestMethod,
            body: body,
            persistent: persistent
        )
        forwarder.writeLines(options, into: &output)
    }

    /// The reason phrase, with a space for each control byte.
    private static func appendReason(_ head: ResponseHead, to output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: head.octets[head.reasonRange])
        for index in start..<output.count where OctetClass.isForbiddenInText(output[index]) {
            output[index] = 0x20
        }
    }
}

/// Writes the field lines of one response.
private struct ResponseForwarder {
    /// The version the response came in.
    private let receivedVersion: HTTPVersion
    private let isInterim: Bool
    /// What the framing lines shall say: of a response without body, what it said of a body.
    private let framing: BodyLength
    private let received: ConnectionOptions
    private let connection: ConnectionLine
    /// Whether the body goes on in the server's transfer coding, and says so.
    private let keepsTransferCoding: Bool
    private var lines: ForwardedHeadWriter
    private var wroteFraming = false
    private var wroteConnection = false

    init(
        _ head: borrowing ResponseHead,
        toVersion version: HTTPVersion,
        requestMethod: HTTPMethod,
        body: BodyLength,
        persistent: Bool
    ) {
        receivedVersion = head.version
        isInterim = head.isInformational
        let isBodiless = Framing.isBodiless(status: head.status, to: requestMethod)
        framing =
            isBodiless
            ? Self.describedFraming(head, toVersion: version, requestMethod: requestMethod) : body
        keepsTransferCoding =
            framing == .untilClose && version >= .http11 && head.hasOpaqueTransferCoding
        received = ConnectionOptions(head.fields)
        var connection = ConnectionLine()
        let isTunnel = Framing.isTunnel(status: head.status, to: requestMethod)
        connection.closes =
            !isTunnel && !isInterim && (!persistent || (body == .untilClose && !isBodiless))
        // RFC 9110 §7.8 and §15.5.22: only these two must name the protocols.
        if received.upgrades && (head.status == 101 || head.status == 426) {
            connection.upgrades = head.fields.first(.upgrade) != nil
        }
        self.connection = connection
        lines = ForwardedHeadWriter(head.fields)
    }

    /// What a response to HEAD, or 304, says of the body it does not have, where that is valid;
    /// nothing may be said in 1xx, 204 and 2xx to CONNECT (RFC 9110 §8.6, RFC 9112 §6.1).
    private static func describedFraming(
        _ head: ResponseHead,
        toVersion version: HTTPVersion,
        requestMethod: HTTPMethod
    ) -> BodyLength {
        if head.status < 200 || head.status == 204 || requestMethod == .connect { return .none }
        let codings = TransferCodings(head.fields)
        let length = try? Framing.contentLength(head.fields, role: .response)
        guard codings.isPresent else { return length ?? .none }
        let isChunked = codings.isChunkedAlone && length == BodyLength.none && version >= .http11
        return isChunked ? .chunked : .none
    }

    mutating func writeLines(_ options: ForwardingOptions, into output: inout [UInt8]) {
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
        if connection.isSame(as: line, of: lines.fields) {
            lines.keep(line, into: &output)
        } else {
            lines.replace(line, into: &output, value: connection.writeValue)
        }
    }
}
