/// A TOML value with its position.
public struct TOMLNode: Sendable {
    /// The types of values.
    public enum Content: Sendable {
        /// A string.
        case string(TOMLText)
        /// An integer.
        case integer(Int)
        /// A floating-point number.
        case number(Double)
        /// `true` or `false`.
        case boolean(Bool)
        /// An array of values, or of tables defined by `[[…]]`.
        case array([TOMLNode])
        /// A table, inline or not.
        case table(TOMLTable)
        /// A type that no key accepts, by its name, such as `date-time`.
        case other(String)
    }

    /// The value itself.
    public let content: Content
    /// The position where the value starts. A table that is not inline starts where it is first
    /// named.
    public let position: TextPosition

    /// Creates a value at a position.
    public init(_ content: Content, at position: TextPosition) {
        self.content = content
        self.position = position
    }

    /// The type of the value, with its article, for messages.
    public var kind: String {
        switch content {
        case .string: "a string"
        case .integer: "an integer"
        case .number: "a floating-point number"
        case .boolean: "a boolean"
        case .array: "an array"
        case .table: "a table"
        case .other(let name): "a \(name)"
        }
    }

    /// The table, or nil for other types.
    public var table: TOMLTable? {
        if case .table(let table) = content { table } else { nil }
    }

    /// The elements of an array, or nil for other types.
    public var elements: [TOMLNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The text of a string, or nil for other types.
    public var text: TOMLText? {
        if case .string(let text) = content { text } else { nil }
    }
}
