/// The value of a field as the wire has it.
enum WireValue: Sendable, Hashable {
    /// Wire type 0: a number in the base of 128, the lowest digit first.
    case varint(UInt64)
    /// Wire type 1: eight bytes, the lowest first.
    case fixed64(UInt64)
    /// Wire type 2: where its bytes are; a text, a message, packed numbers or bytes.
    case bytes(Range<Int>)
    /// Wire types 3 and 4: where the fields of a group are.
    case group(Range<Int>)
    /// Wire type 5: four bytes, the lowest first.
    case fixed32(UInt32)
}
