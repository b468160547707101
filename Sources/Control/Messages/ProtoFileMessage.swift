public import FoundationEssentials

/// A file that describes Protocol Buffers messages, in the format of the control socket.
public struct ProtoFileMessage: Sendable, Hashable, Codable {
    /// The name that other files import it by.
    public var name: String
    /// The description: a `google.protobuf.FileDescriptorProto`.
    public var bytes: Data

    /// The JSON keys; `octets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case name
        case bytes = "octets"
    }

    /// Creates a file from its name and description.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = Data(bytes)
    }
}
