internal import ProxydHTTPModel

/// Decodes the body of one message with any framing.
struct BodyDecoder: Sendable {
    private enum Kind: Sendable {
        case exactly(remaining: UInt64)
        case chunked
        case untilClose
    }

    private var kind: Kind
    /// One decoder for a chunked body, otherwise none. An array, because the decoder is large, and
    /// most bodies would only reserve and move unused space.
    private var chunks: [ChunkedDecoder] = []

    init(_ length: BodyLength, role: MessageRole, limits: WireLimits) {
        switch length {
        case .none: kind = .exactly(remaining: 0)
        case .exactly(let count): kind = .exactly(remaining: count)
        case .chunked:
            kind = .chunked
            chunks = [ChunkedDecoder(role, limits: limits)]
        case .untilClose: kind = .untilClose
        }
    }

    /// Whether the body is complete if the connection ends now.
    var endsWithConnection: Bool {
        switch kind {
        case .untilClose, .exactly(remaining: 0): true
        case .exactly, .chunked: false
        }
    }

    /// The repairs of the chunked coding.
    var repairs: ResponseRepairs { chunks.isEmpty ? [] : chunks[0].repairs }

    /// The bytes of an unfinished line of the coding that came in earlier inputs.
    var held: [UInt8] { chunks.isEmpty ? [] : chunks[0].held }

    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> BodyPart {
        switch kind {
        case .exactly(remaining: 0): return .end
        case .exactly(var remaining):
            guard offset < input.count else { return .needsMoreInput }
            let part = BodyPart.bytes(&remaining, of: input, from: &offset)
            kind = .exactly(remaining: remaining)
            return part
        case .chunked:
            guard !chunks.isEmpty else { return .end }
            return try chunks[0].decode(input, from: &offset)
        case .untilClose:
            guard offset < input.count else { return .needsMoreInput }
            let start = offset
            offset = input.count
            return .bytes(start..<offset)
        }
    }
}
