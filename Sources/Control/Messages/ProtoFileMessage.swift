public import Foundation

/// A file that describes messages of protocol buffers, as it crosses the control socket.
public struct ProtoFileMessage: Sendable, Hashable, Codable {
    /// Its name, as other files import it.
    public var name: String
    /// Its description: a `google.protobuf.FileDescriptorProto`.
    public var octets: Data

    /// A file.
    public init(name: String, octets: [UInt8]) {
        self.name = name
        self.octets = Data(octets)
    }
}
