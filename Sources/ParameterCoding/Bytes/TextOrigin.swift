/// How bytes were decoded into text.
public enum TextOrigin: Sendable, Hashable {
    /// UTF-8, which includes ASCII.
    case utf8
    /// The declared charset.
    case declaredCharset
    /// Neither: the text shows each byte as its character in Windows-1252, which is a guess.
    case undecodable
}
