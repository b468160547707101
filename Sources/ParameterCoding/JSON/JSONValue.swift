/// A JSON value as it was written: members in order, duplicate names kept, numbers as their text.
public enum JSONValue: Sendable, Hashable {
    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The name, escapes undone.
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
    /// The digits as they were written: nothing is rounded.
    case number(String)
    /// The text, escapes undone; a lone surrogate has become U+FFFD.
    case string(String)
    /// Elements in their order.
    case array([JSONValue])
    /// Members in the order in which they were written, those of equal names too.
    case object([Member])
}
