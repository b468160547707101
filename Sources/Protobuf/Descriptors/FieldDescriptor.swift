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

    /// Its name in the file.
    public internal(set) var name = ""
    /// Its number.
    public internal(set) var number: Int32 = 0
    /// What its values are.
    public internal(set) var kind = Kind.bytes
    /// Whether it has any number of values.
    public internal(set) var isRepeated = false
    /// The full name of the message or enum that its values are, without a dot in front; empty for
    /// others.
    public internal(set) var typeName = ""
    /// Its name in JSON.
    public internal(set) var jsonName = ""
    /// The oneof of its message that it belongs to; nil where to none.
    public internal(set) var oneof: Int32?
    /// Whether it tells absence from its default: else a default is not shown.
    public internal(set) var hasPresence = false
    /// The full name of the message it extends; nil for a field of a message.
    public internal(set) var extendee: String?
}
