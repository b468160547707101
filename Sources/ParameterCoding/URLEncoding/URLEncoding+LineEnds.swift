extension URLEncoding {
    /// How line ends in names and texts are encoded.
    public enum LineEnds: Sendable, Hashable {
        /// Unchanged, as in `URLSearchParams`.
        case asGiven
        /// Each as CRLF, as browsers submit forms.
        case crlf
    }
}
