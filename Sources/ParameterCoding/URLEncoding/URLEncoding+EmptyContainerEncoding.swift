extension URLEncoding {
    /// How an array, set or object without elements is encoded.
    public enum EmptyContainerEncoding: Sendable, Hashable {
        /// It is omitted.
        case vanish
        /// `key=`
        case keepKey
    }
}
