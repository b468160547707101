/// Splits JSON text into tokens, also if it arrives in pieces. It does not check the grammar, as
/// `JSONParser` does: every byte except white space is in a token, so that any text can be shown,
/// searched or split.
///
/// It keeps no bytes and no nesting, only whether a token continues, so no text makes it fail or
/// use more memory.
package struct JSONTokenizer: Sendable {
    package enum Kind: Sendable, Hashable {
        case opener, closer, comma, colon
        case string
        /// Numbers, literals, and anything that is not JSON.
        case scalar
    }

    /// A token, or the part of it that is in the available bytes.
    package struct Token: Sendable, Hashable {
        package let kind: Kind
        /// Its position in the available bytes; includes a string's quotation marks.
        package let range: Range<Int>
        /// Whether the token starts here; otherwise it started in bytes passed before.
        package let isStart: Bool
        /// Whether the token ends here. The end of a scalar is not known until a byte follows.
        package let isEnd: Bool
    }

    private enum State {
        case between
        case inString(isEscaped: Bool)
        case inScalar
    }

    private var state: State

    /// Creates a tokenizer for a text that starts between two tokens.
    package init() { state = .between }

    private init(state: State) { self.state = state }

    /// The first token at or after an index of a text; nil if only white space follows.
    package static func token(in bytes: Span<UInt8>, from index: Int) -> Token? {
        var tokenizer = JSONTokenizer()
        var index = index
        return tokenizer.next(in: bytes, from: &index)
    }

    /// The index after the closing quotation mark of a string of which the bytes from `start` on
    /// are available; nil if it does not end in them.
    package static func stringEnd(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var tokenizer = JSONTokenizer(state: .inString(isEscaped: false))
        var index = start
        guard let rest = tokenizer.next(in: bytes, from: &index), rest.isEnd else { return nil }
        return rest.range.upperBound
    }

    /// The next token at or after an index, which moves to its end; nil at the end of the available
    /// bytes. The next call may be for the bytes that follow them.
    package mutating func next(in bytes: Span<UInt8>, from index: inout Int) -> Token? {
        guard index < bytes.count else { return nil }
        switch state {
        case .between: break
        case .inString(let isEscaped):
            return string(bytes, &index, isEscaped: isEscaped, isStart: false)
        case .inScalar:
            if !JSONTokenizer.endsScalar(bytes[index]) {
                return scalar(bytes, &index, isStart: false)
            }
            state = .between
        }
        while Byte.isJSONWhitespace(bytes[index]) {
            index &+= 1
            guard index < bytes.count else { return nil }
        }
        switch bytes[index] {
        case 0x7B, 0x5B: return single(.opener, &index)
        case 0x7D, 0x5D: return single(.closer, &index)
        case 0x2C: return single(.comma, &index)
        case 0x3A: return single(.colon, &index)
        case 0x22: return string(bytes, &index, isEscaped: false, isStart: true)
        default: return scalar(bytes, &index, isStart: true)
        }
    }

    private func single(_ kind: Kind, _ index: inout Int) -> Token {
        let start = index
        index &+= 1
        return Token(kind: kind, range: start..<index, isStart: true, isEnd: true)
    }

    private mutating func scalar(_ bytes: Span<UInt8>, _ index: inout Int, isStart: Bool) -> Token {
        let start = index
        while index < bytes.count, !JSONTokenizer.endsScalar(bytes[index]) { index &+= 1 }
        let isEnd = index < bytes.count
        state = isEnd ? .between : .inScalar
        return Token(kind: .scalar, range: start..<index, isStart: isStart, isEnd: isEnd)
    }

    private mutating func string(
        _ bytes: Span<UInt8>, _ index: inout Int, isEscaped: Bool, isStart: Bool
    ) -> Token {
        let start = index
        // The quotation mark of a start is skipped like an escaped byte.
        if isStart || isEscaped { index &+= 1 }
        state = JSONTokenizer.skipString(bytes, &index)
        var isEnd = false
        if case .between = state { isEnd = true }
        return Token(kind: .string, range: start..<index, isStart: isStart, isEnd: isEnd)
    }

    /// Skips the rest of a string, or as much as is available.
    private static func skipString(_ bytes: Span<UInt8>, _ index: inout Int) -> State {
        while true {
            index = JSONPlainText.end(bytes, from: index)
            guard index < bytes.count else { return .inString(isEscaped: false) }
            switch bytes[index] {
            case 0x22:
                index &+= 1
                return .between
            case 0x5C:
                index &+= 2
                guard index <= bytes.count else {
                    index = bytes.count
                    return .inString(isEscaped: true)
                }
            default:
                index &+= 1
                while index < bytes.count, bytes[index] >= 0x80 { index &+= 1 }
            }
        }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x3A, 0x22: true
        default: Byte.isJSONWhitespace(byte)
        }
    }
}
