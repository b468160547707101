extension URLEncoding {
    /// The order in which members are sent.
    public enum KeyOrder: Sendable, Hashable {
        /// By code point of the name as it is sent, at every level; sets by their text.
        case sortedKeys
        /// As they are in the object; sets, too.
        case asGiven
    }
}
