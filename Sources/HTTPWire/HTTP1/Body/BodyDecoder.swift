internal import ProxydHTTPModel

/// The body of one message, whatever its framing.
struct BodyDecoder: Sendable {
    private enum Kind: Sendable {
        case exactly(remaining: UInt64)
        case chunked
        case untilClose
    }

    private var kind: Kind
    /// One for a chunked body, else none. An array, because the decoder is large, most bodies have
    /// none, and each body would have room for one made and moved.
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

    /// Whether the body is whole where the connection ends now.
    var endsWithConnection: Bool {
        switch kind {
        case .untilClose, .exactly(remaining: 0): true
        case .exactly, .chunked: false
        }
    }

    /// What had to be mended in the coding.
    var repairs: ResponseRepairs { chunks.isEmpty ? [] : chunks[0].repairs }

    /// The octets of the coding's unfinished line that came in earlier inputs.
    var held: [UInt8] { chunks.isEmpty ? [] : chunks[0].held }

    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> BodyPart {
        switch kind {
        case .exactly(remaining: 0): return .end
        case .exactly(var remaining):
            guard offset < input.count else { return .needsMoreInput }
            let part = BodyPart.octets(&remaining, of: input, from: &offset)
            kind = .exactly(remaining: remaining)
            return part
        case .chunked:
            guard !chunks.isEmpty else { return .end }
            return try chunks[0].decode(input, from: &offset)
        case .untilClose:
            guard offset < input.count else { return .needsMoreInput }
            let start = offset
            offset = input.count
            return .octets(start..<offset)
        }
    }
}
