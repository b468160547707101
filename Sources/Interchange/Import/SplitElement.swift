/// One entry of a file, or a part of one, cut out but not yet read.
enum SplitElement {
    /// Its octets; those of its messages, where it has any, are not among them.
    case octets([UInt8])
    /// What came of an entry when its messages begin: up to the bracket in front of the first.
    case beforeMessages([UInt8])
    /// One of the messages of the entry whose end is still to come.
    case message([UInt8])
    /// It is longer than may be held; its octets were passed over.
    case tooLong
}
