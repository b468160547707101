extension URLEncoding {
    /// How a space is encoded.
    public enum SpaceEncoding: Sendable, Hashable {
        /// `%20`, unless the escape set keeps spaces.
        case percentEscaped
        /// `+`, which only form decoders interpret as a space.
        case plus
    }
}
