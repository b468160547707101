/// String literals of programming languages that hold any text.
enum SnippetLiteral {
    /// A literal in double quotes for JavaScript, Python or Swift. Everything but printable ASCII
    /// is escaped, so that no character can end the literal or mislead a reader.
    /// - Parameter escape: Writes a character that is not printable ASCII.
    static func quoted(_ text: String, escape: (UnicodeScalar) -> String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case " "..."~": literal.unicodeScalars.append(scalar)
            default: literal += escape(scalar)
            }
        }
        return literal + "\""
    }

    /// A number in hexadecimal with a minimum number of digits.
    static func hex(_ value: some BinaryInteger, _ digitCount: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}
