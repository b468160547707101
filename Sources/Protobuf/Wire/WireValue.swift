/// The value of a field in the wire format.
enum WireValue: Sendable, Hashable {
    /// Wire type 0: a base-128 number, least significant digit first.
    case varint(UInt64)
    /// Wire type 1: eight bytes, little-endian.
    case fixed64(UInt64)
    /// Wire type 2: the range of its bytes; a string, a message, packed numbers or bytes.
    case bytes(Range<Int>)
    /// Wire types 3 and 4: the range of a group's fields.
    case group(Range<Int>)
    /// Wire type 5: four bytes, little-endian.
    case fixed32(UInt32)
}
