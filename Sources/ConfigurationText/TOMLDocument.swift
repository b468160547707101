public struct TOMLDocument: Sendable {
    /// The maximum nesting of tables and arrays: reading and freeing the tree is recursive.
    public static let depthMax = 64

    public let root: TOMLTable

    /// - Throws: the first syntax error; the text after it is not checked.
    public init(_ text: String) throws(TOMLSyntaxError) {
        if let nul = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<nul].count { $0 == UInt8(ascii: "\n") } + 1
            throw TOMLSyntaxError("the file contains a NUL character", at: line)
        }
        root = try TOMLReader.read(text)
    }

    /// The position of the key with this path, or of the last existing table on the path.
    public func position(of path: [String]) -> TextPosition {
        var position = TextPosition.start
        var table: TOMLTable? = root
        for name in path {
            guard let member = table?[name] else { break }
            position = member.position
            table = member.node.table
        }
        return position
    }
}

public struct TOMLNode: Sendable {
    public enum Content: Sendable {
        case string(TOMLText)
        case integer(Int)
        case number(Double)
        case boolean(Bool)
        /// An array of values, or of tables defined by `[[…]]`.
        case array([TOMLNode])
        case table(TOMLTable)
        /// A type that no key accepts, by its name, such as `date-time`.
        case other(String)
    }

    public let content: Content
    /// Where the value starts; for a table that is not inline, where it is first named.
    public let position: TextPosition

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

    public var table: TOMLTable? {
        if case .table(let table) = content { table } else { nil }
    }

    public var elements: [TOMLNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    public var text: TOMLText? {
        if case .string(let text) = content { text } else { nil }
    }
}

/// The members of a table, in the order of the file.
public struct TOMLTable: Sendable {
    public struct Member: Sendable {
        /// The key with its escapes resolved.
        public let name: String
        public let position: TextPosition
        public let node: TOMLNode
    }

    /// All members; names are unique.
    public let members: [Member]
    private let indexOfName: [String: Int]

    init(_ members: [Member], indexOfName: [String: Int]) {
        self.members = members
        self.indexOfName = indexOfName
    }

    public subscript(name: String) -> Member? { indexOfName[name].map { members[$0] } }
}

/// The text of a TOML string, with the positions of its parts in the file.
public struct TOMLText: Sendable {
    /// The text without quotes and with escapes resolved.
    public let text: String
    /// The position before the opening quotes.
    private let start: TOMLCursor

    init(_ text: String, from start: TOMLCursor) {
        self.text = text
        self.start = start
    }

    public var position: TextPosition { start.position }

    /// The position in the file of a column of the text, so that a mistake within a filter or an
    /// expression can be located.
    /// - Parameter column: counts the text's Unicode scalars from 1; beyond the end, the result is
    ///   the position of the closing quotes.
    public func position(ofColumn column: Int) -> TextPosition {
        guard var scanner = try? TOMLStringScanner(at: start) else { return position }
        var left = column
        while left > 1, (try? scanner.next()) != nil { left -= 1 }
        scanner.skipLineEndings()
        return scanner.cursor.position
    }
}

/// A position in a text, counted as editors do.
public struct TextPosition: Sendable, Hashable, Comparable {
    /// The line number, counted from 1.
    public let line: Int
    /// The column, counted from 1 in Unicode scalars.
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static let start = TextPosition(line: 1, column: 1)

    public static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

public struct TOMLSyntaxError: Error, Sendable, Equatable {
    /// One readable line.
    public let message: String
    /// The line number, counted from 1.
    public let line: Int

    init(_ message: String, at line: Int) {
        self.message = message
        self.line = line
    }
}
