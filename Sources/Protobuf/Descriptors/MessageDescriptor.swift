/// A message, as `google.protobuf.DescriptorProto` describes it.
public struct MessageDescriptor: Sendable, Hashable {
    /// Its name with those of its package and of the messages around it.
    public internal(set) var fullName = ""
    /// Its fields by their numbers.
    public internal(set) var fields: [Int32: FieldDescriptor] = [:]
    /// Whether it is an entry of a map field: field 1 the key, field 2 the value.
    public internal(set) var isMapEntry = false
}
