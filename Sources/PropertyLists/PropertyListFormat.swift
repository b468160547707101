/// The two formats of property lists.
public enum PropertyListFormat: Sendable, Hashable {
    /// XML text with Apple's DTD 1.0.
    case xml
    /// The binary format `bplist00`.
    case binary
}
