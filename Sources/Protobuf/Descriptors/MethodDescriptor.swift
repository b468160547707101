/// A method of a service, as `google.protobuf.MethodDescriptorProto` describes it.
public struct MethodDescriptor: Sendable, Hashable {
    /// Its name.
    public internal(set) var name = ""
    /// The full name of the messages that a client sends.
    public internal(set) var inputType = ""
    /// The full name of the messages that a server sends.
    public internal(set) var outputType = ""
    /// Whether a client sends any number of them.
    public internal(set) var isClientStreaming = false
    /// Whether a server sends any number of them.
    public internal(set) var isServerStreaming = false
}
