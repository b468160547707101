extension URLEncoding {
    /// How the elements of an array share its key.
    public enum ArrayEncoding: Sendable {
        /// `key[]=a&key[]=b`. Arrays in arrays and objects in arrays cannot be told apart then:
        /// the encoder warns.
        case brackets
        /// `key=a&key=b`. Ambiguous like `brackets`, and so is an array of one element.
        case noBrackets
        /// `key[0]=a&key[1]=b`: nothing is ambiguous. Elements that leave no trace, such as
        /// nulls that are dropped, have no index: a gap would make an object of the array.
        case indexInBrackets
        /// `key=["a","b"]`: the whole array as one JSON text, whatever is in it.
        case json
        /// Any key made of the path so far and the index of the element, counted in the
        /// same way.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }
}
