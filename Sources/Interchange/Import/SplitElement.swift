/// One entry of a file, cut out but not yet read.
enum SplitElement {
    /// Its octets.
    case octets([UInt8])
    /// It is longer than may be held; its octets were passed over.
    case tooLong
}
