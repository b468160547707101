/// A gRPC, gRPC-Web or Connect message as received.
public struct PrefixedMessage: Sendable, Hashable {
    /// The prefix of the message.
    public var prefix: MessagePrefix
    /// The bytes of the message, still compressed if the prefix says so.
    public var payload: [UInt8]

    /// Creates a message.
    public init(prefix: MessagePrefix, payload: [UInt8]) {
        self.prefix = prefix
        self.payload = payload
    }
}
