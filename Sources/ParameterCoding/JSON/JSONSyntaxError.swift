/// Why a text is not JSON (RFC 8259), and where.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// The text ends inside a value, or is empty.
        case unexpectedEnd
        /// An octet that cannot stand here.
        case unexpectedOctet
        /// Something follows the value.
        case trailingContent
        /// A control character inside a string that should have been escaped (§7).
        case controlCharacter
        /// A backslash with something unknown behind it.
        case badEscape
        /// Octets that are not UTF-8 (§8.1).
        case invalidUTF8
        /// A number that is not one of the grammar (§6).
        case badNumber
        /// More nesting than the limit.
        case tooDeep
        /// More octets than the limit.
        case tooLarge
    }

    /// What is wrong.
    public let kind: Kind
    /// Octets before the error.
    public let offset: Int
    /// The line of the error, from 1; LF ends a line.
    public let line: Int
    /// The column of the error in characters (Unicode scalars), from 1.
    public let column: Int

    /// An error at an offset of a text, from which line and column follow.
    init(_ kind: Kind, at offset: Int, in octets: Span<UInt8>) {
        self.kind = kind
        self.offset = offset
        var line = 1
        var column = 1
        for index in 0..<min(offset, octets.count) {
            if octets[index] == 0x0A {
                line += 1
                column = 1
            } else if octets[index] & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// Plain words with the place; never a byte of the text.
    public var description: String {
        let problem =
            switch kind {
            case .unexpectedEnd: "the text ends too early"
            case .unexpectedOctet: "unexpected character"
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
