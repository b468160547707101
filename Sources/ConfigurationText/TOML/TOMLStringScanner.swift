/// Parses a string scalar by scalar, in any of TOML's four forms.
struct TOMLStringScanner {
    /// The position before the next scalar or, at the end, after the closing quotes.
    private(set) var cursor: TOMLCursor
    private let quote: UInt8
    private let isMultiline: Bool

    /// Skips the opening quotes.
    init(at start: TOMLCursor) throws(TOMLSyntaxError) {
        cursor = start
        guard let first = cursor.take(), first == .quote || first == .apostrophe else {
            throw TOMLSyntaxError("a string starts with a quote", at: start.line)
        }
        quote = first
        isMultiline = cursor.peek() == first && cursor.peek(1) == first
        if isMultiline {
            _ = cursor.take()
            _ = cursor.take()
            _ = cursor.skipLineEnd()
        }
    }

    /// Parses a whole string.
    static func read(_ cursor: inout TOMLCursor) throws(TOMLSyntaxError) -> TOMLText {
        let start = cursor
        var scanner = try TOMLStringScanner(at: start)
        var scalars = String.UnicodeScalarView()
        while let scalar = try scanner.next() { scalars.append(scalar) }
        cursor = scanner.cursor
        return TOMLText(String(scalars), from: start)
    }

    /// The next scalar after resolving escapes, or nil at the closing quotes, which are skipped.
    mutating func next() throws(TOMLSyntaxError) -> Unicode.Scalar? {
        skipLineEndings()
        if try takeClosingQuotes() { return nil }
        if isMultiline, cursor.skipLineEnd() { return "\n" }
        if quote == .quote, cursor.take(.backslash) { return try escaped() }
        guard !cursor.isAtEnd, !cursor.isAtLineEnd else {
            throw TOMLSyntaxError("this string is not closed", at: cursor.line)
        }
        if let byte = cursor.peek(), byte.isControl, byte != .tab {
            throw TOMLSyntaxError("write control characters as \\u00..", at: cursor.line)
        }
        return cursor.takeScalar()
    }

    /// Skips line endings after a backslash, and all white space after them.
    mutating func skipLineEndings() {
        while isMultiline, quote == .quote, cursor.peek() == .backslash {
            var beyond = cursor
            _ = beyond.take()
            beyond.skipSpaces()
            guard beyond.skipLineEnd() else { return }
            repeat { beyond.skipSpaces() } while beyond.skipLineEnd()
            cursor = beyond
        }
    }

    private mutating func takeClosingQuotes() throws(TOMLSyntaxError) -> Bool {
        guard isMultiline else { return cursor.take(quote) }
        // Of four or five quotes, the first ones are part of the text.
        switch (0..<6).prefix(while: { cursor.peek($0) == quote }).count {
        case 3: return cursor.take(quote) && cursor.take(quote) && cursor.take(quote)
        case 6: throw TOMLSyntaxError("too many quotes", at: cursor.line)
        default: return false
        }
    }

    private mutating func escaped() throws(TOMLSyntaxError) -> Unicode.Scalar {
        switch cursor.take() {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "u"): return try numbered(digitCount: 4)
        case UInt8(ascii: "U"): return try numbered(digitCount: 8)
        default:
            throw TOMLSyntaxError(
                "unknown escape; in single quotes a backslash is literal", at: cursor.line)
        }
    }

    private mutating func numbered(digitCount: Int) throws(TOMLSyntaxError) -> Unicode.Scalar {
        var value: UInt32 = 0
        for _ in 0..<digitCount {
            let digit = cursor.take().flatMap { Character(Unicode.Scalar($0)).hexDigitValue }
            value = value << 4 | UInt32(truncatingIfNeeded: digit ?? 0)
            if digit == nil { value = .max }
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw TOMLSyntaxError(
                "\\u takes 4 and \\U 8 hexadecimal digits of a character", at: cursor.line)
        }
        return scalar
    }
}
