extension URLEncoding {
    /// The order in which members are sent.
    public enum KeyOrder: Sendable, Hashable {
        /// By code point of the encoded name, at every level; elements of sets by their text.
        case sortedKeys
        /// As they are in the object or set.
        case asGiven
    }
}
