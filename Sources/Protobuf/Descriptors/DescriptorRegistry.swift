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

    /// Whether the registry contains no descriptors.
    public var isEmpty: Bool { messages.isEmpty && services.isEmpty && enums.isEmpty }

    /// A message by its full name; nil if no file defines it.
    public func message(named name: String) -> MessageDescriptor? { messages[name] }

    /// An enum by its full name; nil if no file defines it.
    public func `enum`(named name: String) -> EnumDescriptor? { enums[name] }

    /// A service by its full name; nil if no file defines it.
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
