/// A file of declarations, as `google.protobuf.FileDescriptorProto` describes it; messages and
/// enums within messages are in the same lists as those around them.
public struct FileDescriptor: Sendable, Hashable {
    /// The largest description of a file that is read, in bytes.
    public static let byteCountMax = 2 << 20

    /// Its name, as other files import it.
    public internal(set) var name = ""
    /// Its package; empty where it has none.
    public internal(set) var package = ""
    /// The files that it imports.
    public internal(set) var dependencies: [String] = []
    /// Its messages.
    public internal(set) var messages: [MessageDescriptor] = []
    /// Its enums.
    public internal(set) var enums: [EnumDescriptor] = []
    /// Its services.
    public internal(set) var services: [ServiceDescriptor] = []
    /// The fields that it adds to messages of any file.
    public internal(set) var extensions: [FieldDescriptor] = []

    /// Reads a description.
    public init(octets: [UInt8]) throws(ProtobufError) {
        guard octets.count <= FileDescriptor.byteCountMax else {
            throw ProtobufError(.tooMuch, at: FileDescriptor.byteCountMax)
        }
        var reader = FileDescriptorReader(octets)
        self = try reader.read()
    }

    init() {}
}
