extension URLEncoding {
    /// How the name of a member is appended to the path of its object.
    public enum KeyPathEncoding: Sendable {
        /// `a[b][c]`
        case brackets
        /// `a.b.c`
        case dots
        /// The path, followed by the text that the closure returns for the name.
        case custom(@Sendable (_ name: String) -> String)
    }
}
