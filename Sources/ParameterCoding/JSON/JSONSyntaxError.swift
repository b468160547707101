/// Why a text is not valid JSON (RFC 8259), and where.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Kind: Sendable, Hashable {
        /// The text ends inside a value, or is empty.
        case unexpectedEnd
        /// A byte that is not allowed at this position.
        case unexpectedByte
        /// Something follows the value.
        case trailingContent
        /// An unescaped control character inside a string (§7).
        case controlCharacter
        /// A backslash followed by an unknown escape.
        case badEscape
        /// Bytes that are not UTF-8 (§8.1).
        case invalidUTF8
        /// A number that does not match the grammar (§6).
        case badNumber
        /// Nesting deeper than the limit.
        case tooDeep
        /// More bytes than the limit.
        case tooLarge
    }

    /// The kind of error.
    public let kind: Kind
    /// The number of bytes before the error.
    public let offset: Int
    /// The line of the error, from 1; LF ends a line.
    public let line: Int
    /// The column of the error in characters (Unicode scalars), from 1.
    public let column: Int

    /// Creates an error at an offset of a text, and computes its line and column.
    init(_ kind: Kind, at offset: Int, in bytes: Span<UInt8>) {
        self.kind = kind
        self.offset = offset
        var line = 1
        var column = 1
        for index in 0..<min(offset, bytes.count) {
            if bytes[index] == 0x0A {
                line += 1
                column = 1
            } else if bytes[index] & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// A message with the position; it never contains bytes of the text.
    public var description: String {
        let problem =
            switch kind {
            case .unexpectedEnd: "the text ends too early"
            case .unexpectedByte: "unexpected character"
            case .trailingContent: "something follows the value"
            case .controlCharacter: "control character in a string"
            case .badEscape: "unknown escape"
            case .invalidUTF8: "not UTF-8"
            case .badNumber: "not a number"
            case .tooDeep: "nested too deep"
            case .tooLarge: "too large"
            }
        return "line \(line), column \(column): \(problem)"
    }
}
