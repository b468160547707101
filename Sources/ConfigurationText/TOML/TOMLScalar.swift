/// Parses unquoted values: numbers, Booleans and dates.
enum TOMLScalar {
    /// The value of a token, or nil if it is invalid.
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
