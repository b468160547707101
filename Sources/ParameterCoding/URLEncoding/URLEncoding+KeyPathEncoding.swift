extension URLEncoding {
    /// How the name of a member follows the path of its object.
    public enum KeyPathEncoding: Sendable {
        /// `a[b][c]`
        case brackets
        /// `a.b.c`
        case dots
        /// The path, followed by what is made of the name.
        case custom(@Sendable (_ name: String) -> String)
    }
}
