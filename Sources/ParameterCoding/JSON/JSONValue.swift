/// A JSON value as written: members in order, with duplicate names, and numbers as text.
public enum JSONValue: Sendable, Hashable {
    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The name, unescaped.
        public let name: String
        /// The value.
        public let value: JSONValue

        /// A member of the given name and value.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// The digits as written, without rounding.
    case number(String)
    /// The unescaped text; a lone surrogate is replaced by U+FFFD.
    case string(String)
    /// Elements in their order.
    case array([JSONValue])
    /// Members in document order, including those with equal names.
    case object([Member])
}
