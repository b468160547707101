/// A service, as `google.protobuf.ServiceDescriptorProto` describes it.
public struct ServiceDescriptor: Sendable, Hashable {
    /// Its name with that of its package.
    public internal(set) var fullName = ""
    /// Its methods.
    public internal(set) var methods: [MethodDescriptor] = []
}
