/// Recognizes strings, comments and regular expressions of JavaScript and CSS, byte by byte.
struct CodeSyntax: Sendable {
    enum Mode: Sendable, Hashable {
        case code
        /// A string that ends with this quotation mark.
        case string(UInt8)
        case regularExpression(isInClass: Bool)
        case lineComment
        case blockComment
    }

    private let isScript: Bool
    private(set) var mode = Mode.code
    private var isEscaped = false
    /// The last byte of code that was not white space; it tells a division from a regular
    /// expression.
    private var lastVisible: UInt8 = 0

    init(isScript: Bool, mode: Mode = .code) {
        self.isScript = isScript
        self.mode = mode
    }

    /// Takes a byte, given the next one; returns how many were taken, 1 or 2.
    mutating func take(_ byte: UInt8, _ next: UInt8) -> Int {
        switch mode {
        case .code: return takeCode(byte, next)
        case .string(let quote):
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == quote || byte == 0x0A && quote != UInt8(ascii: "`") {
                mode = .code
                lastVisible = quote
            }
        case .regularExpression(let isInClass):
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == 0x0A || byte == UInt8(ascii: "/") && !isInClass {
                mode = .code
                lastVisible = UInt8(ascii: "/")
            } else if byte == UInt8(ascii: "[") {
                mode = .regularExpression(isInClass: true)
            } else if byte == UInt8(ascii: "]") {
                mode = .regularExpression(isInClass: false)
            }
        case .lineComment:
            if byte == 0x0A { mode = .code }
        case .blockComment:
            if byte == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
                mode = .code
                return 2
            }
        }
        return 1
    }

    private mutating func takeCode(_ byte: UInt8, _ next: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): mode = .string(byte)
        case UInt8(ascii: "`") where isScript: mode = .string(byte)
        case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
            mode = .blockComment
            return 2
        case UInt8(ascii: "/") where isScript && next == UInt8(ascii: "/"):
            mode = .lineComment
            return 2
        case UInt8(ascii: "/") where isScript && beginsExpression:
            mode = .regularExpression(isInClass: false)
        default: break
        }
        if !MarkupSyntax.isBlank(byte) { lastVisible = byte }
        return 1
    }

    /// Whether a slash here starts a regular expression: after an operator, not after a value.
    private var beginsExpression: Bool {
        lastVisible == 0 || "(,=:[!&|?{};+-*%<>~^".utf8.contains(lastVisible)
    }
}
