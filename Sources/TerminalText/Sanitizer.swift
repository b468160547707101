/// Builds safe text, character by character.
struct Sanitizer {
    /// Marks on one base character: more of them would paint over the lines above and below.
    private static let combiningCountMax = 4
    private static let tabColumnCount = 8

    private let layout: TerminalText.Layout
    private var output = String.UnicodeScalarView()
    /// The column the next character comes to, for tabs.
    private var column: Int
    /// Combining marks that may still follow; none where there is no base of ours.
    private var combiningCountLeft = 0
    /// A CR that waits for its LF.
    private var hasPendingCarriageReturn = false

    /// A sanitizer whose first character comes to a column.
    init(layout: TerminalText.Layout, column: Int = 0) {
        self.layout = layout
        self.column = column
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        switch layout {
        case .singleLine: break
        case .multiLine: if appendLayout(scalar) { return }
        case .data: if appendData(scalar) { return }
        }
        flushCarriageReturn()
        switch CharacterClass(scalar) {
        case .printable(let width):
            emit(scalar, width: width)
            combiningCountLeft = Sanitizer.combiningCountMax
        case .combining where combiningCountLeft > 0:
            emit(scalar, width: 0)
            combiningCountLeft -= 1
        case .combining, .unsafe:
            escape(scalar)
        }
    }

    /// Shows a byte that is no UTF-8.
    mutating func appendInvalid(_ byte: UInt8) {
        flushCarriageReturn()
        emitText("\\x" + Sanitizer.hexadecimal(UInt32(byte), digitCount: 2))
    }

    mutating func finished() -> String {
        flushCarriageReturn()
        return String(output)
    }

    /// Line ends and tabs of a text of several lines; false for anything else.
    private mutating func appendLayout(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n":
            hasPendingCarriageReturn = false
            output.append(scalar)
            column = 0
            combiningCountLeft = 0
            return true
        case "\r":
            flushCarriageReturn()
            hasPendingCarriageReturn = true
            return true
        case "\t":
            flushCarriageReturn()
            repeat { emit(" ", width: 1) } while column % Sanitizer.tabColumnCount != 0
            combiningCountLeft = 0
            return true
        default:
            return false
        }
    }

    /// Line ends and tabs as they are; false for anything else.
    private mutating func appendData(_ scalar: Unicode.Scalar) -> Bool {
        guard ["\n", "\r", "\t"].contains(scalar) else { return false }
        output.append(scalar)
        combiningCountLeft = 0
        return true
    }

    private mutating func flushCarriageReturn() {
        guard hasPendingCarriageReturn else { return }
        hasPendingCarriageReturn = false
        emitText("\\r")
    }

    private mutating func escape(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\n": emitText("\\n")
        case "\r": emitText("\\r")
        case "\t": emitText("\\t")
        case "\0"..."\u{7F}":
            emitText("\\x" + Sanitizer.hexadecimal(scalar.value, digitCount: 2))
        default:
            emitText("\\u{" + Sanitizer.hexadecimal(scalar.value, digitCount: 1) + "}")
        }
    }

    private mutating func emitText(_ text: String) {
        for scalar in text.unicodeScalars { emit(scalar, width: 1) }
        combiningCountLeft = 0
    }

    private mutating func emit(_ scalar: Unicode.Scalar, width: Int) {
        output.append(scalar)
        column &+= width
    }

    private static func hexadecimal(_ value: UInt32, digitCount: Int) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}
