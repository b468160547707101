extension URLEncoding {
    /// How line ends in names and texts are sent.
    public enum LineEnds: Sendable, Hashable {
        /// As they are. `URLSearchParams` does the same.
        case asGiven
        /// Each as CRLF, as browsers submit forms.
        case crlf
    }
}
