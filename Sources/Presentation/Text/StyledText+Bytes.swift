extension StyledText {
    /// Appends bytes that should be UTF-8; each invalid byte is shown as in `\xFF`.
    package mutating func append(_ bytes: ArraySlice<UInt8>, _ style: Style = .plain) {
        append(bytes, style, hasTabStops: false)
    }

    /// Appends bytes that should be UTF-8, with tabs expanded to tab stops.
    package mutating func appendTabbed(_ bytes: ArraySlice<UInt8>, _ style: Style = .plain) {
        append(bytes, style, hasTabStops: true)
    }

    private mutating func append(
        _ bytes: ArraySlice<UInt8>, _ style: Style, hasTabStops: Bool
    ) {
        let owned = Array(bytes)
        var start = 0
        while start < owned.count {
            // Each validation ends at the first invalid byte, so all of them together take linear
            // time.
            let invalid = StyledText.firstInvalid(owned.span.extracting(start..<owned.count))
            let end = start + invalid.lowerBound
            let text = String(decoding: owned[start..<end], as: UTF8.self)
            append(Run(text: text, style: style, hasTabStops: hasTabStops))
            let escapes = owned[end..<start + invalid.upperBound].map(StyledText.escape).joined()
            var escaped = style
            escaped.foreground = .escape
            append(Run(text: escapes, style: escaped, hasTabStops: hasTabStops))
            start += invalid.upperBound
        }
    }

    /// The first bytes that are not UTF-8, or an empty range at the end if all are valid.
    private static func firstInvalid(_ bytes: Span<UInt8>) -> Range<Int> {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes)
            return bytes.count..<bytes.count
        } catch {
            return error.byteOffsets.clamped(to: 0..<bytes.count)
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        (byte < 0x10 ? "\\x0" : "\\x") + String(byte, radix: 16, uppercase: true)
    }
}
