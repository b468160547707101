/// An enum, as `google.protobuf.EnumDescriptorProto` describes it.
public struct EnumDescriptor: Sendable, Hashable {
    /// Its name with those of its package and of the messages around it.
    public internal(set) var fullName = ""
    /// The names of its values; of several for a number the first.
    public internal(set) var names: [Int32: String] = [:]
    /// The number of its first value, the default.
    public internal(set) var first: Int32?
}
