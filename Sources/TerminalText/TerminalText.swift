/// The only way from captured bytes to a terminal or a log.
///
/// The result contains no control characters, nothing invisible, and nothing that changes the
/// direction of text: each of them is shown as an escape (`\n`, `\x1B`, `\u{202E}`). Escapes are
/// for reading; a backslash in the text itself is unchanged.
public enum TerminalText {
    /// Where the text goes.
    public enum Layout: Sendable, Hashable {
        /// One line: line ends and tabs are escaped, too.
        case singleLine
        /// Several lines: LF and CRLF end lines, tabs become spaces up to the next 8th column.
        case multiLine
        /// Data for a program, not for a terminal: LF, CR and tabs stay.
        case data
    }

    /// Text that is safe to print.
    public static func sanitize(_ text: String, layout: Layout = .singleLine) -> String {
        var text = text
        let isPlain = text.withUTF8 { isPlainASCII($0.span, layout) }
        if isPlain { return text }
        var sanitizer = Sanitizer(layout: layout)
        for scalar in text.unicodeScalars { sanitizer.append(scalar) }
        return sanitizer.finished()
    }

    /// One line that is safe to print, with tabs expanded to the next 8th column; the text starts
    /// at `column`. A line end is escaped.
    package static func sanitizeTabbed(_ text: String, from column: Int = 0) -> String {
        guard text.utf8.contains(0x09) else { return sanitize(text) }
        var sanitizer = Sanitizer(layout: .multiLine, column: column)
        for scalar in text.unicodeScalars {
            // By scalars: CR LF is one character.
            for shown in scalar == "\n" ? ["\\", "n"] : [scalar] { sanitizer.append(shown) }
        }
        return sanitizer.finished()
    }

    /// Text that is safe to print, from bytes that should be UTF-8; invalid ones are shown as
    /// `\xFF`.
    public static func sanitize(_ bytes: Span<UInt8>, layout: Layout = .singleLine) -> String {
        var sanitizer = Sanitizer(layout: layout)
        var start = 0
        while start < bytes.count {
            // Each search ends at the first invalid byte, so all of them together take linear time.
            let rest = bytes.extracting(start..<bytes.count)
            let (valid, invalid) = validPrefix(rest)
            for scalar in valid.unicodeScalars { sanitizer.append(scalar) }
            for index in invalid { sanitizer.appendInvalid(rest[index]) }
            start += invalid.upperBound
        }
        return sanitizer.finished()
    }

    /// Text that is safe to print, from bytes that should be UTF-8.
    public static func sanitize(_ bytes: [UInt8], layout: Layout = .singleLine) -> String {
        isPlainASCII(bytes.span, layout)
            ? String(decoding: bytes, as: UTF8.self) : sanitize(bytes.span, layout: layout)
    }

    /// The text before the first invalid bytes, and their place: empty at the end if all are valid.
    private static func validPrefix(_ bytes: Span<UInt8>) -> (String, Range<Int>) {
        do throws(UTF8.ValidationError) {
            let span = try UTF8Span(validating: bytes)
            return (String(copying: span), bytes.count..<bytes.count)
        } catch {
            let invalid = error.byteOffsets.clamped(to: 0..<bytes.count)
            let valid = bytes.extracting(0..<invalid.lowerBound)
            let text = valid.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            return (text, invalid)
        }
    }

    private static func isPlainASCII(_ bytes: Span<UInt8>, _ layout: Layout) -> Bool {
        let allowed: [UInt8] =
            switch layout {
            case .singleLine: []
            case .multiLine: [0x0A]
            case .data: [0x09, 0x0A, 0x0D]
            }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte &- 0x20 >= 0x5F, !allowed.contains(byte) { return false }
            index &+= 1
        }
        return true
    }
}

/// Builds safe text, character by character.
struct Sanitizer {
    /// Marks on one base character: more would overlap the lines above and below.
    private static let combiningCountMax = 4
    private static let tabColumnCount = 8

    private let layout: TerminalText.Layout
    private var output = String.UnicodeScalarView()
    /// The column of the next character, for tabs.
    private var column: Int
    /// How many combining marks may still follow; none without a base character of ours.
    private var combiningCountLeft = 0
    /// Whether a CR waits for its LF.
    private var hasPendingCarriageReturn = false

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
        case .combining, .unsafe: escape(scalar)
        }
    }

    /// Shows a byte that is not UTF-8.
    mutating func appendInvalid(_ byte: UInt8) {
        flushCarriageReturn()
        emitText("\\x" + Sanitizer.hexadecimal(UInt32(byte), digitCount: 2))
    }

    mutating func finished() -> String {
        flushCarriageReturn()
        return String(output)
    }

    /// Handles line ends and tabs of a multi-line text; false for anything else.
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
        default: return false
        }
    }

    /// Keeps line ends and tabs; false for anything else.
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
        case "\0"..."\u{7F}": emitText("\\x" + Sanitizer.hexadecimal(scalar.value, digitCount: 2))
        default: emitText("\\u{" + Sanitizer.hexadecimal(scalar.value, digitCount: 1) + "}")
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

/// The effect of a character on a terminal.
enum CharacterClass: Equatable {
    /// Takes this many columns: 1, or 2 for East Asian wide characters and emoji.
    case printable(width: Int)
    /// Is drawn onto the character before it.
    case combining
    /// Controls the terminal, is invisible, changes the direction of text, or means nothing.
    case unsafe

    init(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x7F {
            self = scalar.value >= 0x20 ? .printable(width: 1) : .unsafe
            return
        }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            self = .unsafe
        case .nonspacingMark, .enclosingMark:
            // Variation selectors and the like are invisible.
            self = properties.isDefaultIgnorableCodePoint ? .unsafe : .combining
        default:
            if properties.isDefaultIgnorableCodePoint {
                self = .unsafe
            } else if CharacterClass.isConjoining(scalar.value) {
                self = .combining
            } else {
                self = .printable(width: WideCharacters.contains(scalar.value) ? 2 : 1)
            }
        }
    }

    /// Hangul vowels and finals that terminals draw onto the initial before them.
    private static func isConjoining(_ value: UInt32) -> Bool {
        (0x1161...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value)
    }
}

extension TerminalText {
    /// The width of a text in terminal columns: wide characters take 2, combining marks 0.
    ///
    /// Meant for sanitized lines; what would not be printed counts as 0.
    public static func displayWidth(_ text: String) -> Int {
        var text = text
        let asciiWidth = text.withUTF8 { utf8 in
            utf8.allSatisfy { $0 &- 0x20 < 0x5F } ? utf8.count : nil
        }
        if let asciiWidth { return asciiWidth }
        return text.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    /// The text, truncated with `…` if it is wider than `width` columns.
    public static func fitted(_ text: String, to width: Int) -> String {
        if displayWidth(text) <= width { return text }
        guard width > 0 else { return "" }
        var kept = String.UnicodeScalarView()
        var column = 0
        for scalar in text.unicodeScalars {
            column += TerminalText.width(scalar)
            // The last column is for the ellipsis.
            if column > width - 1 { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// The text in exactly `width` columns: truncated with `…`, or padded with spaces.
    public static func padded(_ text: String, to width: Int) -> String {
        let fitted = fitted(text, to: width)
        return fitted + String(repeating: " ", count: max(0, width - displayWidth(fitted)))
    }

    /// The longest prefix of a sanitized text that fits into `columns`, without an ellipsis.
    package static func prefix(_ text: String, columns: Int) -> String {
        if displayWidth(text) <= columns { return text }
        // One column more has room for what is dropped: the ellipsis, or the last character.
        return String(fitted(text, to: max(0, columns) + 1).dropLast())
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if case .printable(let width) = CharacterClass(scalar) { return width }
        return 0
    }
}

/// The characters that take two columns: East_Asian_Width W or F (Unicode Annex 11), including
/// emoji with emoji presentation. Gaps of unassigned characters are merged.
enum WideCharacters {
    static func contains(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        var lower = 0
        var upper = ranges.count
        while lower < upper {
            let middle = (lower &+ upper) / 2
            if ranges[middle].upperBound < value {
                lower = middle &+ 1
            } else {
                upper = middle
            }
        }
        return lower < ranges.count && ranges[lower].contains(value)
    }

    private static let ranges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
        0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
        0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
        0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
        0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
        0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
        0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAD9, 0xFE10...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x1B2FB, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E,
        0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
        0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
        0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC,
        0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
        0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
        0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF, 0x1F6EB...0x1F6EC,
        0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
        0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
