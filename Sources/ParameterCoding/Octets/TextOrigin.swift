/// What octets were read as when they became text.
public enum TextOrigin: Sendable, Hashable {
    /// UTF-8, which includes ASCII.
    case utf8
    /// The charset that was declared for them.
    case declaredCharset
    /// Neither: the text shows each octet as its Latin-1 character, so that something can be seen,
    /// and is a guess.
    case undecodable
}
