internal import ProxydContentCoding
internal import ProxydHTTPWire

/// Assembles messages from a server's frames, within limits. Of a message it keeps only what is
/// needed to deliver it, and never more than the limit.
struct WebSocketAssembler: ~Copyable {
    /// A complete message or control frame from the server.
    enum Item {
        case message(WebSocketRequest.Message)
        case ping([UInt8])
        case pong([UInt8])
        case close(WebSocketClosing)
    }

    private let byteCountMax: Int
    private var reader = WebSocketFrameReader()
    private var rules: WebSocketFrameRules
    private let inflater: MessageInflater?
    private var input: [UInt8] = []
    private var offset = 0
    private var frame: WebSocketFrameHeader?
    /// The part of a control frame's payload that has arrived.
    private var control: [UInt8] = []
    private var message = Message()

    private struct Message {
        var isText = false
        var isCompressed = false
        var content: [UInt8] = []
        var validator = UTF8Validator()
    }

    /// `byteCountMax` limits a message after decompression.
    init(_ compression: PermessageDeflate?, byteCountMax: Int) {
        self.byteCountMax = byteCountMax
        rules = WebSocketFrameRules(
            sender: .server, agreement: WebSocketAgreement(deflate: compression))
        let limits = DecodingLimits(decodedByteCountMax: byteCountMax)
        inflater = compression.flatMap { compression in
            try? MessageInflater(
                windowBits: compression.server.windowBits,
                keepsContext: compression.server.keepsContext, limits: limits)
        }
    }

    mutating func append(_ bytes: [UInt8]) {
        if offset == input.count {
            input = bytes
            offset = 0
        } else {
            input.append(contentsOf: bytes)
        }
    }

    /// The next complete item, or nil if more bytes are needed.
    mutating func next() throws(WebSocketViolation) -> Item? {
        let input = input
        while true {
            switch reader.next(input.span, from: &offset) {
            case .needsMoreInput: return nil
            case .header(let header): try begin(header)
            case .payload(let range, let isLast):
                try take(range, of: input.span)
                if isLast, let item = try endFrame() { return item }
            }
        }
    }

    // MARK: Frames

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketViolation) {
        if let fault = rules.check(header) { throw WebSocketViolation(fault) }
        frame = header
        if header.opcode.isControl { return control = [] }
        if header.opcode != .continuation {
            message = Message()
            message.isText = header.opcode == .text
            message.isCompressed = header.isCompressed
        }
        // Rejects a frame whose announced length is too large without waiting for it. Compressed
        // data may be larger than its content.
        let room = UInt64(max(0, byteCountMax - message.content.count))
        let slack: UInt64 = message.isCompressed ? 1_024 + room / 1_024 : 0
        guard header.payloadByteCount <= room + slack else { throw .tooLarge(limit: byteCountMax) }
    }

    private mutating func take(
        _ range: Range<Int>, of input: Span<UInt8>
    ) throws(WebSocketViolation) {
        guard let frame else { return }
        if frame.opcode.isControl {
            reader.append(range, of: input, to: &control)
        } else if message.isCompressed {
            var piece: [UInt8] = []
            reader.append(range, of: input, to: &piece)
            try inflate(piece, isLast: false)
        } else {
            reader.append(range, of: input, to: &message.content)
            try validate(from: message.content.count - range.count)
        }
    }

    private mutating func endFrame() throws(WebSocketViolation) -> Item? {
        guard let ended = frame else { return nil }
        frame = nil
        switch ended.opcode {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close: return .close(try closing())
        default: return ended.isFinal ? .message(try endMessage()) : nil
        }
    }

    private func closing() throws(WebSocketViolation) -> WebSocketClosing {
        do throws(WebSocketFault) {
            return try WebSocketClosing(control.span)
        } catch {
            throw WebSocketViolation(error)
        }
    }

    // MARK: Messages

    private mutating func endMessage() throws(WebSocketViolation) -> WebSocketRequest.Message {
        if message.isCompressed { try inflate([], isLast: true) }
        let ended = message
        message = Message()
        guard ended.isText else { return .data(ended.content) }
        guard ended.validator.isComplete else { throw WebSocketViolation(.invalidUTF8) }
        return .string(String(decoding: ended.content, as: UTF8.self))
    }

    private mutating func inflate(_ bytes: [UInt8], isLast: Bool) throws(WebSocketViolation) {
        guard let inflater else { throw WebSocketViolation(.undecompressable) }
        let start = message.content.count
        var content = message.content
        message.content = []
        defer { message.content = content }
        do throws(ContentCodingError) {
            if isLast {
                try inflater.endMessage { $0.withUnsafeBufferPointer { content += $0 } }
            } else {
                try inflater.receive(bytes.span) { $0.withUnsafeBufferPointer { content += $0 } }
            }
        } catch .overLimit {
            throw .tooLarge(limit: byteCountMax)
        } catch {
            throw WebSocketViolation(.undecompressable)
        }
        message.content = content
        try validate(from: start)
    }

    /// Text is rejected as soon as it is not valid UTF-8 (RFC 6455 §8.1).
    private mutating func validate(from start: Int) throws(WebSocketViolation) {
        guard message.isText else { return }
        let content = message.content
        let isValid = message.validator.receive(content.span.extracting(start..<content.count))
        guard isValid else { throw WebSocketViolation(.invalidUTF8) }
    }
}

/// Why a server's bytes were rejected: the error of the request, and the close code for the server.
struct WebSocketViolation: Error {
    let error: ClientError
    let closeCode: WebSocketRequest.CloseCode

    static func tooLarge(limit: Int) -> WebSocketViolation {
        WebSocketViolation(
            error: ClientError(.messageTooLarge(limit: limit)), closeCode: .messageTooBig)
    }

    init(error: ClientError, closeCode: WebSocketRequest.CloseCode) {
        self.error = error
        self.closeCode = closeCode
    }

    init(_ fault: WebSocketFault) {
        let failure: ClientError.WebSocketFailure =
            fault == .invalidUTF8 ? .invalidText : .protocolError(fault.description)
        self.init(
            error: ClientError(.webSocketFailed(failure)),
            closeCode: WebSocketRequest.CloseCode(rawValue: fault.closeCode))
    }
}

/// Writes a client's frames, each masked with an unpredictable key (RFC 6455 §5.3) from the
/// system's secure random generator.
struct WebSocketOutput: ~Copyable {
    /// Shorter messages would grow by compression.
    private static let compressedByteCountMin = 32

    private var deflater: MessageDeflater?

    init(_ agreement: PermessageDeflate? = nil) {
        guard let client = agreement?.client else { return }
        // If there is not enough memory for compression, messages are sent uncompressed.
        deflater = try? MessageDeflater(
            windowBits: client.windowBits, keepsContext: client.keepsContext)
    }

    mutating func bytes(of message: WebSocketRequest.Message) -> [UInt8] {
        let (opcode, bytes): (WebSocketOpcode, [UInt8]) =
            switch message {
            case .string(let text): (.text, Array(text.utf8))
            case .data(let bytes): (.binary, bytes)
            }
        guard bytes.count >= WebSocketOutput.compressedByteCountMin, let deflater else {
            return WebSocketOutput.frame(opcode, bytes)
        }
        do throws(ContentCodingError) {
            let compressed = try deflater.deflate(bytes.span)
            return WebSocketOutput.frame(opcode, compressed, isCompressed: true)
        } catch {
            self.deflater = nil
            return WebSocketOutput.frame(opcode, bytes)
        }
    }

    static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isCompressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(
            opcode, payload.span, isCompressed: isCompressed,
            maskingKey: .random(in: .min ... .max), into: &bytes)
        return bytes
    }
}
