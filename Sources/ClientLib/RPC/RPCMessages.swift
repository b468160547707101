internal import ProxydHTTPWire

/// Messages of a client, each behind its prefix.
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

/// One message as it goes over the wire, not compressed.
enum RPCMessage {
    /// - Throws: `.messageTooLarge` where its length does not fit its prefix.
    static func octets(_ message: [UInt8]) throws(ClientError) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(message.count + MessagePrefix.byteCount)
        guard MessagePrefix.write(message.span, into: &octets) else {
            throw ClientError(.messageTooLarge(limit: Int(UInt32.max)), fault: .caller)
        }
        return octets
    }
}
