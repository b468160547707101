/// An enum, as `google.protobuf.EnumDescriptorProto` describes it.
public struct EnumDescriptor: Sendable, Hashable {
    /// The name qualified by package and enclosing messages.
    public internal(set) var fullName = ""
    /// The names of the values by number; the first name if a number has several.
    public internal(set) var names: [Int32: String] = [:]
    /// The number of the first value, which is the default.
    public internal(set) var first: Int32?
}
