/// A TOML value that knows its place.
public struct TOMLNode: Sendable {
    /// What a value can be.
    public enum Content: Sendable {
        /// A string.
        case string(TOMLText)
        /// An integer.
        case integer(Int)
        /// A floating-point number.
        case number(Double)
        /// `true` or `false`.
        case boolean(Bool)
        /// An array: of values, or of tables under `[[…]]`.
        case array([TOMLNode])
        /// A table, inline or not.
        case table(TOMLTable)
        /// A kind that no key takes: its name, such as `date-time`.
        case other(String)
    }

    /// The value.
    public let content: Content
    /// Where it begins. A table that was not written inline begins where it is first named.
    public let position: TextPosition

    /// A value at a place.
    public init(_ content: Content, at position: TextPosition) {
        self.content = content
        self.position = position
    }

    /// What it is, with its article.
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

    /// Its members, where it is a table.
    public var table: TOMLTable? {
        if case .table(let table) = content { table } else { nil }
    }

    /// Its elements, where it is an array.
    public var elements: [TOMLNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// Its text, where it is a string.
    public var text: TOMLText? {
        if case .string(let text) = content { text } else { nil }
    }
}
