/// A message, as `google.protobuf.DescriptorProto` describes it.
public struct MessageDescriptor: Sendable, Hashable {
    /// The name qualified by package and enclosing messages.
    public internal(set) var fullName = ""
    /// The fields by number.
    public internal(set) var fields: [Int32: FieldDescriptor] = [:]
    /// Whether it is an entry of a map field: field 1 the key, field 2 the value.
    public internal(set) var isMapEntry = false
}
