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
    /// The type of the values.
    public internal(set) var kind = Kind.bytes
    /// Whether the field is repeated.
    public internal(set) var isRepeated = false
    /// The full name of the message or enum type, without a leading dot; empty for other types.
    public internal(set) var typeName = ""
    /// The field's name in JSON.
    public internal(set) var jsonName = ""
    /// The index of the oneof that contains the field; nil if there is none.
    public internal(set) var oneof: Int32?
    /// Whether the field tracks presence; if not, a default value is not shown.
    public internal(set) var hasPresence = false
    /// The full name of the extended message; nil for an ordinary field.
    public internal(set) var extendee: String?
}
