extension URLEncoding {
    /// How the elements of an array are named.
    public enum ArrayEncoding: Sendable {
        /// `key[]=a&key[]=b`. Nested arrays and objects in arrays are ambiguous in this form: the
        /// encoder warns.
        case brackets
        /// `key=a&key=b`. Ambiguous like `brackets`, and so is an array of one element.
        case noBrackets
        /// `key[0]=a&key[1]=b`: unambiguous. Elements that are not written, such as dropped nulls,
        /// have no index: a gap would turn the array into an object.
        case indexInBrackets
        /// `key=["a","b"]`: the whole array as one JSON text, whatever it contains.
        case json
        /// A custom key, made from the path so far and the index of the element, counted as for
        /// `indexInBrackets`.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }
}
