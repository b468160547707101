extension URLEncoding {
    /// What becomes of an array, set or object without elements.
    public enum EmptyContainerEncoding: Sendable, Hashable {
        /// It leaves no trace.
        case vanish
        /// `key=`
        case keepKey
    }
}
