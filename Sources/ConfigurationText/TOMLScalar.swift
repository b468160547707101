internal import ProxydCivilTime

/// Parses unquoted values: numbers, Booleans and dates.
enum TOMLScalar {
    static func read(_ token: [UInt8]) -> TOMLNode.Content? {
        switch token {
        case Array("true".utf8): return .boolean(true)
        case Array("false".utf8): return .boolean(false)
        default: break
        }
        let (unsigned, hasSign) = unsigned(token)
        let text = String(decoding: token.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
        if isInteger(unsigned) { return Int(text).map { .integer($0) } }
        if isNumber(unsigned) { return number(text) }
        if !hasSign, let number = prefixed(unsigned) { return .integer(number) }
        return TOMLMoment.kind(of: token).map { .other($0) }
    }

    /// Whether the token has the syntax of a number, however large.
    static func isWrittenAsNumber(_ token: [UInt8]) -> Bool {
        let (unsigned, hasSign) = unsigned(token)
        return isInteger(unsigned) || isNumber(unsigned) || (!hasSign && isPrefixed(unsigned))
    }

    private static func unsigned(_ token: [UInt8]) -> (ArraySlice<UInt8>, hasSign: Bool) {
        let hasSign = token.first == UInt8(ascii: "+") || token.first == UInt8(ascii: "-")
        return (token.dropFirst(hasSign ? 1 : 0), hasSign)
    }

    /// `0`, or digits without a leading zero.
    private static func isInteger(_ token: ArraySlice<UInt8>) -> Bool {
        isDigits(token) && (token.count == 1 || token.first != UInt8(ascii: "0"))
    }

    /// An integer with a fraction, an exponent or both; `inf`, `nan`.
    private static func isNumber(_ token: ArraySlice<UInt8>) -> Bool {
        if token.elementsEqual("inf".utf8) || token.elementsEqual("nan".utf8) { return true }
        let isMark = { (byte: UInt8) in byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") }
        let mantissa = token.prefix { !isMark($0) }
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        guard isInteger(whole), whole.count < token.count,
            whole.count == mantissa.count || isDigits(mantissa.dropFirst(whole.count + 1))
        else { return false }
        guard mantissa.count < token.count else { return true }
        let exponent = token.dropFirst(mantissa.count + 1)
        let hasSign = exponent.first == UInt8(ascii: "+") || exponent.first == UInt8(ascii: "-")
        return isDigits(exponent.dropFirst(hasSign ? 1 : 0))
    }

    /// The number, or nil if it is too large.
    private static func number(_ text: String) -> TOMLNode.Content? {
        guard let number = Double(text), number.isFinite || text.contains("n") else { return nil }
        return .number(number)
    }

    private static func isPrefixed(_ token: ArraySlice<UInt8>) -> Bool {
        radix(token).map { isDigits(token.dropFirst(2), radix: $0) } ?? false
    }

    private static func prefixed(_ token: ArraySlice<UInt8>) -> Int? {
        guard let radix = radix(token), isPrefixed(token) else { return nil }
        let digits = token.dropFirst(2).filter { $0 != UInt8(ascii: "_") }
        return Int(String(decoding: digits, as: UTF8.self), radix: radix)
    }

    private static func radix(_ token: ArraySlice<UInt8>) -> Int? {
        switch String(decoding: token.prefix(2), as: UTF8.self) {
        case "0x": 16
        case "0o": 8
        case "0b": 2
        default: nil
        }
    }

    /// Digits, possibly with single underscores between them.
    private static func isDigits(_ token: ArraySlice<UInt8>, radix: Int = 10) -> Bool {
        token.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0.allSatisfy { isDigit($0, radix: radix) }
        }
    }

    private static func isDigit(_ byte: UInt8, radix: Int) -> Bool {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { $0 < radix } ?? false
    }
}

/// Distinguishes dates and times, which no key accepts, from invalid values.
enum TOMLMoment {
    /// `date`, `time` or `date-time`, or nil if the token is not one of them.
    static func kind(of token: [UInt8]) -> String? {
        var text = TimeText(token)
        if takeTime(&text) { return text.isAtEnd ? "time" : nil }
        text = TimeText(token)
        guard text.date() != nil else { return nil }
        if text.isAtEnd { return "date" }
        guard text.skip(oneOf: "Tt "), takeTime(&text) else { return nil }
        return text.isAtEnd || (takeZone(&text) && text.isAtEnd) ? "date-time" : nil
    }

    private static func takeTime(_ text: inout TimeText) -> Bool {
        guard text.clockInSeconds() != nil else { return false }
        return !text.skip(".") || text.fraction() != nil
    }

    private static func takeZone(_ text: inout TimeText) -> Bool {
        text.skip(oneOf: "Zz") || (text.skip(oneOf: "+-") && text.hourAndMinuteInSeconds() != nil)
    }
}

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
