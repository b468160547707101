/// A message of gRPC, gRPC-Web or Connect as it came.
public struct PrefixedMessage: Sendable, Hashable {
    /// What stood in front of it.
    public var prefix: MessagePrefix
    /// Its bytes, still compressed where the prefix says so.
    public var payload: [UInt8]

    /// A message.
    public init(prefix: MessagePrefix, payload: [UInt8]) {
        self.prefix = prefix
        self.payload = payload
    }
}
