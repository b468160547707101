/// A .proto file, as `google.protobuf.FileDescriptorProto` describes it; nested messages and enums
/// are in the same lists as the top-level ones.
public struct FileDescriptor: Sendable, Hashable {
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
    public internal(set) var services: [ServiceDescriptor] = []
    public internal(set) var extensions: [FieldDescriptor] = []

    public init(bytes: [UInt8]) throws(ProtobufError) {
        guard bytes.count <= FileDescriptor.byteCountMax else {
            throw ProtobufError(.tooMuch, at: FileDescriptor.byteCountMax)
        }
        var reader = FileDescriptorReader(bytes)
        self = try reader.read()
    }

    init() {}
}

/// A message, as `google.protobuf.DescriptorProto` describes it.
public struct MessageDescriptor: Sendable, Hashable {
    /// The name qualified by package and enclosing messages.
    public internal(set) var fullName = ""
    public internal(set) var fields: [Int32: FieldDescriptor] = [:]
    /// Whether it is an entry of a map field: field 1 the key, field 2 the value.
    public internal(set) var isMapEntry = false
}

/// A field of a message, as `google.protobuf.FieldDescriptorProto` describes it.
public struct FieldDescriptor: Sendable, Hashable {
    /// The type of its values; the numbers are those of descriptor.proto.
    public enum Kind: UInt64, Sendable, Hashable {
        case double = 1
        case float = 2
        case int64 = 3
        case uint64 = 4
        case int32 = 5
        case fixed64 = 6
        case fixed32 = 7
        case bool = 8
        case string = 9
        case group = 10
        case message = 11
        case bytes = 12
        case uint32 = 13
        case `enum` = 14
        case sfixed32 = 15
        case sfixed64 = 16
        case sint32 = 17
        case sint64 = 18
    }

    /// The name in the file.
    public internal(set) var name = ""
    /// The field number, 1…2²⁹-1.
    public internal(set) var number: Int32 = 0
    public internal(set) var kind = Kind.bytes
    public internal(set) var isRepeated = false
    /// The full name of the message or enum type, without a leading dot; empty for other types.
    public internal(set) var typeName = ""
    public internal(set) var jsonName = ""
    /// The index of the oneof that contains the field; nil if there is none.
    public internal(set) var oneof: Int32?
    /// Whether the field tracks presence; if not, a default value is not shown.
    public internal(set) var hasPresence = false
    /// The full name of the extended message; nil for an ordinary field.
    public internal(set) var extendee: String?
}

/// An enum, as `google.protobuf.EnumDescriptorProto` describes it.
public struct EnumDescriptor: Sendable, Hashable {
    /// The name qualified by package and enclosing messages.
    public internal(set) var fullName = ""
    /// The names of the values by number; the first name if a number has several.
    public internal(set) var names: [Int32: String] = [:]
    /// The number of the first value, which is the default.
    public internal(set) var first: Int32?
}

/// A service, as `google.protobuf.ServiceDescriptorProto` describes it.
public struct ServiceDescriptor: Sendable, Hashable {
    /// The name qualified by its package.
    public internal(set) var fullName = ""
    /// In the order of the file.
    public internal(set) var methods: [MethodDescriptor] = []
}

/// A method of a service, as `google.protobuf.MethodDescriptorProto` describes it.
public struct MethodDescriptor: Sendable, Hashable {
    /// The method's name, without the service.
    public internal(set) var name = ""
    /// The full name of the request message type.
    public internal(set) var inputType = ""
    /// The full name of the response message type.
    public internal(set) var outputType = ""
    public internal(set) var isClientStreaming = false
    public internal(set) var isServerStreaming = false
}

/// Looks up descriptors of several files by name.
public struct DescriptorRegistry: Sendable {
    private var messages: [String: MessageDescriptor] = [:]
    private var enums: [String: EnumDescriptor] = [:]
    private var services: [String: ServiceDescriptor] = [:]
    private var extensions: [ExtensionKey: FieldDescriptor] = [:]

    private struct ExtensionKey: Hashable {
        let extendee: String
        let number: Int32
    }

    /// Creates a registry of files. If a name is defined twice, the earlier file wins.
    public init(_ files: [FileDescriptor] = []) {
        for file in files {
            for message in file.messages where messages[message.fullName] == nil {
                messages[message.fullName] = message
            }
            for described in file.enums where enums[described.fullName] == nil {
                enums[described.fullName] = described
            }
            for service in file.services where services[service.fullName] == nil {
                services[service.fullName] = service
            }
            for field in file.extensions {
                guard let extendee = field.extendee else { continue }
                let key = ExtensionKey(extendee: extendee, number: field.number)
                if extensions[key] == nil { extensions[key] = field }
            }
        }
    }

    /// A message by its full name; nil if no file defines it.
    public func message(named name: String) -> MessageDescriptor? { messages[name] }

    public func `enum`(named name: String) -> EnumDescriptor? { enums[name] }

    public func service(named name: String) -> ServiceDescriptor? { services[name] }

    /// The method in a request's path, `/package.Service/Method`; a prefix and a query are ignored.
    /// nil if no file defines it.
    public func method(atPath path: String) -> MethodDescriptor? {
        guard let name = MethodName(path: path) else { return nil }
        return services[name.service]?.methods.first { $0.name == name.method }
    }

    func `extension`(of message: String, number: Int32) -> FieldDescriptor? {
        if extensions.isEmpty { return nil }
        return extensions[ExtensionKey(extendee: message, number: number)]
    }
}

/// A method in the path of a request: `/package.Service/Method` (gRPC's PROTOCOL-HTTP2.md).
public struct MethodName: Sendable, Hashable, CustomStringConvertible {
    /// The service, qualified by its package.
    public let service: String
    public let method: String

    /// Takes the last two segments of a path, which may have a prefix; a query is ignored. nil if
    /// there are fewer segments, or one is empty.
    public init?(path: String) {
        let parts = path.prefix { $0 != "?" }.split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, let method = parts.last, !method.isEmpty,
            let service = parts.dropLast().last, !service.isEmpty
        else { return nil }
        self.service = String(service)
        self.method = String(method)
    }

    /// `package.Service/Method`.
    public var description: String { "\(service)/\(method)" }
}
