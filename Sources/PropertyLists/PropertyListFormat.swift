/// The two forms of property lists.
public enum PropertyListFormat: Sendable, Hashable {
    /// Text: Apple's DTD 1.0.
    case xml
    /// `bplist00`.
    case binary
}
