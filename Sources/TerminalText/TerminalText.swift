/// The one door between captured bytes and a terminal or a log.
///
/// What comes out has no control character, nothing invisible, nothing that turns the direction
/// of the text: each of them is shown as an escape (`\n`, `\x1B`, `\u{202E}`). Escapes are for
/// reading; a backslash of the text itself is left as it is.
public enum TerminalText {
    /// Where the text goes.
    public enum Layout: Sendable, Hashable {
        /// One line: line ends and tabs are escapes, too.
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

    /// One line that is safe to print, its tabs spaces up to the next 8th column; the text starts
    /// at `column`. A line end is an escape.
    package static func sanitizeTabbed(_ text: String, from column: Int = 0) -> String {
        guard text.utf8.contains(0x09) else { return sanitize(text) }
        var sanitizer = Sanitizer(layout: .multiLine, column: column)
        for scalar in text.unicodeScalars {
            // By scalars: CR LF is one character.
            for shown in scalar == "\n" ? ["\\", "n"] : [scalar] { sanitizer.append(shown) }
        }
        return sanitizer.finished()
    }

    /// Text that is safe to print, of bytes that should be UTF-8; those that are not are shown
    /// as `\xFF`.
    public static func sanitize(
        _ bytes: Span<UInt8>,
        layout: Layout = .singleLine
    ) -> String {
        var sanitizer = Sanitizer(layout: layout)
        var start = 0
        while start < bytes.count {
            // Each look ends at the first invalid byte, so all of them together are linear.
            let rest = bytes.extracting(start..<bytes.count)
            let (valid, invalid) = validPrefix(rest)
            for scalar in valid.unicodeScalars { sanitizer.append(scalar) }
            for index in invalid { sanitizer.appendInvalid(rest[index]) }
            start += invalid.upperBound
        }
        return sanitizer.finished()
    }

    /// Text that is safe to print, of bytes that should be UTF-8.
    public static func sanitize(_ bytes: [UInt8], layout: Layout = .singleLine) -> String {
        isPlainASCII(bytes.span, layout)
            ? String(decoding: bytes, as: UTF8.self) : sanitize(bytes.span, layout: layout)
    }

    /// The text up to the first invalid bytes, and where those are: behind it, or empty at the
    /// end of all.
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
