internal import HTTPModel

/// The chunked coding (RFC 9112 §7.1), strict: every line ends in CRLF, sizes stay below 2⁶³.
///
///     size ─▶ (spaces, extensions) ─▶ sizeLF ─┬─▶ data ─▶ dataCR ─▶ dataLF ─▶ size
///                                             └─▶ trailers ─▶ done   (a size of zero)
struct ChunkedDecoder: Sendable {
    private enum State {
        case size, extensions, sizeLF, data, dataCR, dataLF, trailers, done
    }

    private let role: MessageRole
    private let limits: WireLimits
    private var state = State.size
    /// The chunk's octets still to come; its size while the line is read.
    private var remaining: UInt64 = 0
    private var lineByteCount = 0
    private var extensions = ChunkExtensionScanner()
    private var extensionsByteCount = 0
    private var trailers: HeadAssembler

    init(_ role: MessageRole, limits: WireLimits) {
        self.role = role
        self.limits = limits
        trailers = HeadAssembler(trailers: role, limits: limits)
    }

    /// The next thing in `input` from `offset` on.
    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> BodyPart {
        while offset < input.count {
            switch state {
            case .data: return takeData(input, from: &offset)
            case .trailers: return try takeTrailers(input, from: &offset)
            case .done: return .end
            default:
                try takeLineOctet(input[offset])
                offset &+= 1
            }
        }
        return state == .done ? .end : .needsMoreInput
    }

    private mutating func takeData(_ input: Span<UInt8>, from offset: inout Int) -> BodyPart {
        let part = BodyPart.octets(&remaining, of: input, from: &offset)
        if remaining == 0 { state = .dataCR }
        return part
    }

    private mutating func takeTrailers(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> BodyPart {
        guard let octets = try trailers.take(input, from: &offset) else { return .needsMoreInput }
        state = .done
        let fields = trailers.scanner.fields(of: octets)
        return fields.isEmpty ? .end : .trailers(fields)
    }

    private mutating func takeLineOctet(_ octet: UInt8) throws(WireError) {
        switch state {
        case .size: try takeSizeOctet(octet)
        case .extensions: try takeExtensionOctet(octet)
        case .sizeLF:
            try require(octet == 0x0A, or: .badChunkEnd)
            state = remaining == 0 ? .trailers : .data
        case .dataCR:
            try require(octet == 0x0D, or: .badChunkEnd)
            state = .dataLF
        default:
            try require(octet == 0x0A, or: .badChunkEnd)
            beginLine()
        }
    }

    private mutating func beginLine() {
        state = .size
        remaining = 0
        lineByteCount = 0
    }

    private mutating func takeSizeOctet(_ octet: UInt8) throws(WireError) {
        if let digit = WireNumber.hexDigit(octet) {
            lineByteCount &+= 1
            // Leading zeros are legal (1*HEXDIG): the number is bounded, and so is the line. Above
            // this the shift would lose a bit, or reach 2⁶³.
            try require(
                remaining <= WireNumber.lengthMax &>> 4
                    && lineByteCount <= limits.chunkLineByteCountMax,
                or: .badChunkSize)
            remaining = remaining &<< 4 | digit
            return
        }
        try require(lineByteCount > 0, or: .badChunkSize)
        switch octet {
        case 0x0D: state = .sizeLF
        case 0x3B, 0x20, 0x09:
            state = .extensions
            extensions = ChunkExtensionScanner()
            try takeExtensionOctet(octet)
        default: throw WireError(.badChunkSize, in: role)
        }
    }

    private mutating func takeExtensionOctet(_ octet: UInt8) throws(WireError) {
        if octet == 0x0D && extensions.mayEnd(in: role) {
            state = .sizeLF
        } else {
            try require(extensions.take(octet), or: .badChunkExtension)
            try countExtensionOctet()
        }
    }

    private mutating func countExtensionOctet() throws(WireError) {
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
