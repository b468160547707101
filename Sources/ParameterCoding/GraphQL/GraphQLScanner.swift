/// Splits a GraphQL document into tokens. Never fails: an invalid byte becomes a punctuator.
struct GraphQLScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next token; nil at the end.
    mutating func next() -> GraphQLToken? {
        while let byte = peek() {
            if isAt("\u{FEFF}") {
                position &+= 3
            } else if GraphQLScanner.isIgnored(byte) {
                position &+= 1
            } else {
                break
            }
        }
        guard let byte = peek() else { return nil }
        let start = position
        let kind = kind(byte)
        return GraphQLToken(kind: kind, range: start..<position)
    }

    /// The next token that is not a comment.
    mutating func nextMeaningful() -> GraphQLToken? {
        while let token = next() {
            if token.kind != .comment { return token }
        }
        return nil
    }

    private mutating func kind(_ byte: UInt8) -> GraphQLToken.Kind {
        switch byte {
        case UInt8(ascii: "#"):
            skip { $0 != 0x0A && $0 != 0x0D }
            return .comment
        case UInt8(ascii: "\""):
            skipString()
            return .string
        case UInt8(ascii: ".") where isAt("..."):
            position &+= 3
            return .spread
        case UInt8(ascii: "-"), 0x30...0x39:
            position &+= 1
            skip { GraphQLScanner.isNameByte($0) || $0 == 0x2E || $0 == 0x2B || $0 == 0x2D }
            return .number
        case _ where GraphQLScanner.isNameByte(byte):
            skip(GraphQLScanner.isNameByte)
            return .name
        case 0x80...:
            // Letters of other scripts are not part of the language: keep a word of them together.
            skip { $0 >= 0x80 }
            return .punctuator(byte)
        default:
            position &+= 1
            return .punctuator(byte)
        }
    }

    private mutating func skipString() {
        if isAt("\"\"\"") { return skipBlockString() }
        position &+= 1
        while let byte = peek() {
            position &+= 1
            switch byte {
            case UInt8(ascii: "\""), 0x0A, 0x0D: return
            case UInt8(ascii: "\\"): if peek() != nil { position &+= 1 }
            default: break
            }
        }
    }

    private mutating func skipBlockString() {
        position &+= 3
        while peek() != nil {
            if isAt("\"\"\"") {
                position &+= 3
                return
            }
            position &+= isAt("\\\"\"\"") ? 4 : 1
        }
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isAt(_ text: StaticString) -> Bool {
        let end = position &+ text.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        return bytes[position..<end].elementsEqual(text.description.utf8)
    }

    private mutating func skip(_ isPart: (UInt8) -> Bool) {
        while let byte = peek(), isPart(byte) { position &+= 1 }
    }

    /// White space, line ends, commas and the byte order mark are insignificant (§2.1.8).
    private static func isIgnored(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0A, 0x0D, 0x20, 0x2C: true
        default: false
        }
    }

    /// An ASCII letter or digit, or `_`.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }
}
