/// One entry of a file, or a part of one, split off but not parsed yet.
package enum SplitElement {
    /// The bytes of an entry, without those of its messages if it has any.
    case bytes([UInt8])
    /// The part of an entry before its messages, up to the opening bracket of their array.
    case beforeMessages([UInt8])
    /// A message of an entry whose end is still to come.
    case message([UInt8])
    /// The entry exceeds the maximum length; its bytes were skipped.
    case tooLong
}
