/// A method of a service, as `google.protobuf.MethodDescriptorProto` describes it.
public struct MethodDescriptor: Sendable, Hashable {
    /// The method's name, without the service.
    public internal(set) var name = ""
    /// The full name of the request message type.
    public internal(set) var inputType = ""
    /// The full name of the response message type.
    public internal(set) var outputType = ""
    /// Whether the client sends a stream of messages.
    public internal(set) var isClientStreaming = false
    /// Whether the server sends a stream of messages.
    public internal(set) var isServerStreaming = false
}
