/// Splits a JSON text into tokens one after another. Anything that is not JSON is a token, too, so
/// that any bytes can be shown.
struct JSONTokens {
    enum Kind {
        case opener, closer, comma, colon
        case string
        /// Numbers, literals, and anything else.
        case scalar
    }

    struct Token {
        let kind: Kind
        let range: Range<Int>
    }

    enum Step {
        case token(Token)
        /// The token starts here and does not end within the available bytes.
        case unfinished(Kind, start: Int)
        case end
    }

    /// The next token at or after an index.
    static func next(_ octets: Span<UInt8>, from index: Int) -> Step {
        var start = index
        while start < octets.count, isBlank(octets[start]) { start &+= 1 }
        guard start < octets.count else { return .end }
        switch octets[start] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return single(.opener, start)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return single(.closer, start)
        case UInt8(ascii: ","): return single(.comma, start)
        case UInt8(ascii: ":"): return single(.colon, start)
        case UInt8(ascii: "\""):
            guard let end = stringEnd(octets, from: start &+ 1) else {
                return .unfinished(.string, start: start)
            }
            return .token(Token(kind: .string, range: start..<end))
        default:
            var end = start
            while end < octets.count, !isDelimiter(octets[end]) { end &+= 1 }
            if end == octets.count { return .unfinished(.scalar, start: start) }
            return .token(Token(kind: .scalar, range: start..<end))
        }
    }

    /// The index after the closing quotation mark of a string, or nil if it is not in view.
    static func stringEnd(_ octets: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < octets.count {
            switch octets[index] {
            case UInt8(ascii: "\""): return index &+ 1
            case UInt8(ascii: "\\"): index &+= 2
            default: index &+= 1
            }
        }
        return nil
    }

    static func isBlank(_ octet: UInt8) -> Bool {
        octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09
    }

    private static func single(_ kind: Kind, _ start: Int) -> Step {
        .token(Token(kind: kind, range: start..<start &+ 1))
    }

    private static func isDelimiter(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""):
            true
        default: isBlank(octet)
        }
    }
}
