extension URLEncoding {
    /// What becomes of a null.
    public enum NilEncoding: Sendable {
        /// The pair is left out.
        case dropKey
        /// `key=`
        case dropValue
        /// `key`
        case keyOnly
        /// `key=null`
        case null
        /// `key=` and the text given, or nothing where there is none.
        case custom(@Sendable () -> String?)
    }
}
