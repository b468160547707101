extension URLEncoding {
    /// How a space is written.
    public enum SpaceEncoding: Sendable, Hashable {
        /// `%20`, unless the escape set keeps spaces.
        case percentEscaped
        /// `+`, which only form decoders take for a space.
        case plus
    }
}
