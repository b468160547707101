extension URLEncoding {
    /// How a null is encoded.
    public enum NilEncoding: Sendable {
        /// The pair is omitted.
        case dropKey
        /// `key=`
        case dropValue
        /// `key`
        case keyOnly
        /// `key=null`
        case null
        /// `key=` and the given text, or nothing if it is nil.
        case custom(@Sendable () -> String?)
    }
}
