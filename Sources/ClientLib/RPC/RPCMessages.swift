internal import ProxydHTTPWire

/// A client's messages, each with its length prefix.
struct RPCMessages<Messages: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Messages.Element == [UInt8] {
    let messages: Messages

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: Messages.AsyncIterator

        mutating func next() async throws -> [UInt8]? {
            guard let message = try await base.next() else { return nil }
            return try RPCMessage.octets(message)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: messages.makeAsyncIterator()) }
}

/// One uncompressed message in its wire format.
enum RPCMessage {
    /// - Throws: `.messageTooLarge` if the length does not fit in the prefix.
    static func octets(_ message: [UInt8]) throws(ClientError) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(message.count + MessagePrefix.byteCount)
        guard MessagePrefix.write(message.span, into: &octets) else {
            throw ClientError(.messageTooLarge(limit: Int(UInt32.max)), fault: .caller)
        }
        return octets
    }
}
