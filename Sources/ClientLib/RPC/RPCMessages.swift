internal import ProxydHTTPWire

/// A client's messages, each with its length prefix.
struct RPCMessages<Messages: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Messages.Element == [UInt8] {
    let messages: Messages

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: Messages.AsyncIterator

        mutating func next() async throws -> [UInt8]? {
            guard let message = try await base.next() else { return nil }
            return try RPCMessage.bytes(message)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: messages.makeAsyncIterator()) }
}

/// One uncompressed message in its wire format.
enum RPCMessage {
    /// - Throws: `.messageTooLarge` if the length does not fit in the prefix.
    static func bytes(_ message: [UInt8]) throws(ClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.count + MessagePrefix.byteCount)
        guard MessagePrefix.write(message.span, into: &bytes) else {
            throw ClientError(.messageTooLarge(limit: Int(UInt32.max)), fault: .caller)
        }
        return bytes
    }
}
