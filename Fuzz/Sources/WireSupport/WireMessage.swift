public import ProxydHTTPModel
public import ProxydHTTPWire

/// One whole message out of a transcript.
public struct WireMessage<Head: Sendable & Hashable> {
    /// The head.
    public let head: Head
    /// How the body ended.
    public let length: BodyLength
    /// The body.
    public var body: [UInt8] = []
    /// The trailers.
    public var trailers: HeaderFields?

    /// The messages of a transcript that are complete.
    public static func complete(in events: [WireEvent<Head>]) -> [WireMessage] {
        var messages: [WireMessage] = []
        var current: WireMessage?
        for event in events {
            switch event {
            case .head(let head, let length): current = WireMessage(head: head, length: length)
            case .body(let bytes): current?.body = bytes
            case .trailers(let fields): current?.trailers = fields
            case .end:
                if let current { messages.append(current) }
                current = nil
            case .informational, .failed, .left: break
            }
        }
        return messages
    }

    private init(head: Head, length: BodyLength) {
        self.head = head
        self.length = length
    }

    /// The message's events behind its head, when its body ends as `length` says.
    public func eventsBehindHead(trailers: HeaderFields?) -> [WireEvent<Head>] {
        var events: [WireEvent<Head>] = []
        if !body.isEmpty { events.append(.body(body)) }
        if let trailers { events.append(.trailers(trailers)) }
        events.append(.end)
        return events
    }

    /// Writes the body as `length` says; chunks are of at most `chunkByteCount` bytes.
    public func writeBody(
        as length: BodyLength, chunkByteCount: Int, into output: inout [UInt8]
    ) {
        guard length == .chunked else {
            output += body
            return
        }
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(chunkByteCount)
            ChunkEncoder.writeChunkHeader(byteCount: chunk.count, into: &output)
            output += chunk
            ChunkEncoder.writeChunkEnd(into: &output)
            rest = rest.dropFirst(chunk.count)
        }
        ChunkEncoder.writeLastChunk(trailers: trailers, into: &output)
    }
}
