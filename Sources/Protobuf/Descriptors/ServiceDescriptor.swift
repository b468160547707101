/// A service, as `google.protobuf.ServiceDescriptorProto` describes it.
public struct ServiceDescriptor: Sendable, Hashable {
    /// The name qualified by its package.
    public internal(set) var fullName = ""
    /// The methods in the order of the file.
    public internal(set) var methods: [MethodDescriptor] = []
}
