internal import ProxydHTTPModel

/// Decodes the chunked coding (RFC 9112 §7.1): every line ends in CRLF, and sizes are below 2⁶³. In
/// a response, lines may end in a bare LF unless it is decoded strictly.
///
///     size ─▶ (spaces, extensions) ─▶ sizeLF ─┬─▶ data ─▶ dataCR ─▶ dataLF ─▶ size
///                                             └─▶ trailers ─▶ done   (a size of zero)
struct ChunkedDecoder: Sendable {
    private enum State {
        case size, extensions, sizeLF, data, dataCR, dataLF, trailers, done
    }

    private let role: MessageRole
    private let limits: WireLimits
    private let takesLineFeed: Bool
    private var state = State.size
    /// The number of bytes of the chunk still to come; its size while the size line is read.
    private var remaining: UInt64 = 0
    private var lineByteCount = 0
    private var extensions = ChunkExtensionScanner()
    private var extensionsByteCount = 0
    private var trailers: HeadAssembler
    /// The repairs that were necessary.
    private(set) var repairs: ResponseRepairs = []
    /// The bytes of an unfinished line or trailer section that came in earlier inputs.
    var held: [UInt8] { state == .trailers ? trailers.pending : heldLine }
    private var heldLine: [UInt8] = []

    init(_ role: MessageRole, limits: WireLimits) {
        self.role = role
        self.limits = limits
        takesLineFeed = role == .response && !limits.hasStrictResponses
        trailers = HeadAssembler(trailers: role, limits: limits)
    }

    /// Returns the next item in `input` from `offset` on.
    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> BodyPart {
        var lineStart = offset
        while offset < input.count {
            switch state {
            case .data: return takeData(input, from: &offset)
            case .trailers: return try takeTrailers(input, from: &offset)
            case .done: return .end
            default:
                try takeLineByte(input[offset])
                offset &+= 1
                if isAtLineStart {
                    lineStart = offset
                    letGoOfHeld()
                }
            }
        }
        if state == .done { return .end }
        hold(input, from: lineStart)
        return .needsMoreInput
    }

    /// Whether a chunk has ended and nothing of the next size line has arrived.
    private var isAtLineStart: Bool { state == .size && lineByteCount == 0 }

    /// Keeps the bytes of an unfinished line of a response, so that they can be shown if it is
    /// rejected.
    private mutating func hold(_ input: Span<UInt8>, from start: Int) {
        guard role == .response, state != .data, state != .trailers, start < input.count
        else { return }
        input.extracting(start..<input.count).withUnsafeBufferPointer {
            heldLine.append(contentsOf: $0)
        }
    }

    private mutating func takeData(_ input: Span<UInt8>, from offset: inout Int) -> BodyPart {
        let part = BodyPart.bytes(&remaining, of: input, from: &offset)
        if remaining == 0 { state = .dataCR }
        letGoOfHeld()
        return part
    }

    private mutating func letGoOfHeld() {
        if !heldLine.isEmpty { heldLine.removeAll(keepingCapacity: true) }
    }

    private mutating func takeTrailers(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> BodyPart {
        guard let bytes = try trailers.take(input, from: &offset) else { return .needsMoreInput }
        state = .done
        noteRepairs(trailers.scanner.repairs)
        let fields = trailers.scanner.fields(of: bytes)
        return fields.isEmpty ? .end : .trailers(fields)
    }

    /// A bare line feed in the trailer section counts as one of the chunked coding.
    private mutating func noteRepairs(_ found: ResponseRepairs) {
        repairs.formUnion(found.subtracting(.headLineFeed))
        if found.contains(.headLineFeed) { repairs.insert(.chunkLineFeed) }
    }

    private mutating func takeLineByte(_ byte: UInt8) throws(WireError) {
        switch state {
        case .size: try takeSizeByte(byte)
        case .extensions: try takeExtensionByte(byte)
        case .sizeLF:
            try require(byte == 0x0A, or: .badChunkEnd)
            endSizeLine()
        case .dataCR:
            if byte == 0x0A, takesLineFeed {
                repairs.insert(.chunkLineFeed)
                return beginLine()
            }
            try require(byte == 0x0D, or: .badChunkEnd)
            state = .dataLF
        default:
            try require(byte == 0x0A, or: .badChunkEnd)
            beginLine()
        }
    }

    private mutating func endSizeLine() { state = remaining == 0 ? .trailers : .data }

    private mutating func beginLine() {
        state = .size
        remaining = 0
        lineByteCount = 0
    }

    private mutating func takeSizeByte(_ byte: UInt8) throws(WireError) {
        if let digit = WireNumber.hexDigit(byte) {
            lineByteCount &+= 1
            // Leading zeros are valid (1*HEXDIG), because both the number and the line are limited.
            // A larger value would lose a bit in the shift, or reach 2⁶³.
            try require(
                remaining <= WireNumber.lengthMax &>> 4
                    && lineByteCount <= limits.chunkLineByteCountMax,
                or: .badChunkSize)
            remaining = remaining &<< 4 | digit
            return
        }
        try require(lineByteCount > 0, or: .badChunkSize)
        switch byte {
        case 0x0D: state = .sizeLF
        case 0x0A where takesLineFeed:
            repairs.insert(.chunkLineFeed)
            endSizeLine()
        case 0x3B, 0x20, 0x09:
            state = .extensions
            extensions = ChunkExtensionScanner()
            try takeExtensionByte(byte)
        default: throw WireError(.badChunkSize, in: role)
        }
    }

    private mutating func takeExtensionByte(_ byte: UInt8) throws(WireError) {
        if byte == 0x0D && extensions.mayEnd(in: role) {
            state = .sizeLF
        } else if byte == 0x0A && takesLineFeed && extensions.mayEnd(in: role) {
            repairs.insert(.chunkLineFeed)
            endSizeLine()
        } else {
            try require(extensions.take(byte), or: .badChunkExtension)
            try countExtensionByte()
        }
    }

    private mutating func countExtensionByte() throws(WireError) {
        lineByteCount &+= 1
        extensionsByteCount &+= 1
        try require(
            lineByteCount <= limits.chunkLineByteCountMax
                && extensionsByteCount <= limits.chunkExtensionsByteCountMax,
            or: .badChunkExtension
        )
    }

    private func require(_ isMet: Bool, or kind: WireError.Kind) throws(WireError) {
        guard isMet else { throw WireError(kind, in: role) }
    }
}
