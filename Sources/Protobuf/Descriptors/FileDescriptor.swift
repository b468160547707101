/// A .proto file, as `google.protobuf.FileDescriptorProto` describes it; nested messages and enums
/// are in the same lists as the top-level ones.
public struct FileDescriptor: Sendable, Hashable {
    /// The maximum size of a file descriptor, in bytes.
    public static let byteCountMax = 2 << 20

    /// The file name, as other files import it.
    public internal(set) var name = ""
    /// The package; empty if there is none.
    public internal(set) var package = ""
    /// The names of the imported files.
    public internal(set) var dependencies: [String] = []
    /// All messages, including nested ones.
    public internal(set) var messages: [MessageDescriptor] = []
    /// All enums, including nested ones.
    public internal(set) var enums: [EnumDescriptor] = []
    /// The services that the file declares.
    public internal(set) var services: [ServiceDescriptor] = []
    /// The extension fields that the file declares.
    public internal(set) var extensions: [FieldDescriptor] = []

    /// Parses a file descriptor.
    public init(bytes: [UInt8]) throws(ProtobufError) {
        guard bytes.count <= FileDescriptor.byteCountMax else {
            throw ProtobufError(.tooMuch, at: FileDescriptor.byteCountMax)
        }
        var reader = FileDescriptorReader(bytes)
        self = try reader.read()
    }

    init() {}
}
