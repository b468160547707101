/// One line of text for users: runs of text, each with its style.
///
/// The text is raw, as it was captured, including control characters. Only the code that draws a
/// line knows what is dangerous there and makes it safe: a terminal needs other escapes than a page
/// does.
package struct StyledText: Sendable, Hashable {
    /// A run of text in one style.
    package struct Run: Sendable, Hashable {
        /// The raw text, never empty.
        package let text: String
        package let style: Style
        /// Whether tabs are expanded to the next tab stop instead of being escaped.
        package let hasTabStops: Bool

        package init(text: String, style: Style, hasTabStops: Bool = false) {
            self.text = text
            self.style = style
            self.hasTabStops = hasTabStops
        }
    }

    /// Whether lines can be hidden below this one.
    package enum Fold: Sendable, Hashable {
        case none
        case open
        case closed
    }

    package private(set) var runs: [Run] = []
    /// The number of columns by which rows after the first are indented if the line is wrapped.
    package var indent = 0
    /// The state of the fold mark before the line.
    package var fold = Fold.none
    /// The background of all its rows, or nil for the default one.
    package var tint: Style.Role?

    package init() {}

    package init(_ text: String, _ style: Style = .plain) { append(text, style) }

    /// Appends raw text whose tabs are shown as escapes.
    package mutating func append(_ text: String, _ style: Style = .plain) {
        append(Run(text: text, style: style))
    }

    /// Appends raw text whose tabs are expanded to tab stops.
    package mutating func appendTabbed(_ text: String, _ style: Style = .plain) {
        append(Run(text: text, style: style, hasTabStops: true))
    }

    /// Adds spaces, and indents the rows after the first by the same amount.
    package mutating func appendIndent(_ columnCount: Int) {
        guard columnCount > 0 else { return }
        indent = columnCount
        append(String(repeating: " ", count: columnCount))
    }

    /// Appends a run unless its text is empty.
    mutating func append(_ run: Run) {
        if !run.text.isEmpty { runs.append(run) }
    }

    package func indented(by columnCount: Int) -> StyledText {
        var line = StyledText()
        line.appendIndent(columnCount)
        line.indent += indent
        line.runs += runs
        return line
    }

    /// The line after a sign of one column, on a background.
    package func marked(_ sign: String, on tint: Style.Role?) -> StyledText {
        var line = StyledText("\(sign) ", .dim)
        line.indent = indent + 2
        line.runs += runs
        line.tint = tint
        return line
    }

    /// Both lines joined, with the indent, fold state and background of the first.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var sum = left
        sum.runs += right.runs
        return sum
    }

    package static func += (left: inout StyledText, right: StyledText) { left.runs += right.runs }

    /// The line with attributes added to ranges of its text. The ranges are ascending, in UTF-8
    /// bytes, and start and end at character boundaries.
    func adding(_ attributes: Style.Attributes, in ranges: [Range<Int>]) -> StyledText {
        var line = self
        line.runs = []
        var start = 0
        for run in runs {
            let end = start + run.text.utf8.count
            var position = start
            for range in ranges where range.overlaps(start..<end) {
                let part = range.clamped(to: start..<end)
                line.append(run.part(position - start..<part.lowerBound - start))
                line.append(run.part(part.lowerBound - start..<part.upperBound - start, attributes))
                position = part.upperBound
            }
            line.append(run.part(position - start..<end - start))
            start = end
        }
        return line
    }

    package var text: String { runs.map(\.text).joined() }
}

extension StyledText: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self.init(value) }
}

extension StyledText.Run {
    /// A range of the text in bytes, with attributes added.
    fileprivate func part(
        _ range: Range<Int>, _ attributes: Style.Attributes = []
    ) -> StyledText.Run {
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        let end = text.utf8.index(start, offsetBy: range.count)
        return StyledText.Run(
            text: String(text[start..<end]), style: style.adding(attributes),
            hasTabStops: hasTabStops)
    }
}

extension StyledText {
    /// Appends bytes that should be UTF-8; each invalid byte is shown as in `\xFF`.
    package mutating func append(_ bytes: ArraySlice<UInt8>, _ style: Style = .plain) {
        append(bytes, style, hasTabStops: false)
    }

    /// Appends bytes that should be UTF-8, with tabs expanded to tab stops.
    package mutating func appendTabbed(_ bytes: ArraySlice<UInt8>, _ style: Style = .plain) {
        append(bytes, style, hasTabStops: true)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, _ style: Style, hasTabStops: Bool) {
        let owned = Array(bytes)
        var start = 0
        while start < owned.count {
            // Each validation ends at the first invalid byte, so together they take linear time.
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

    package static let indentColumnCount = 2
    /// The maximum number of levels that are indented; deeper lines stay at this one.
    private static let indentLevelCountMax = 40

    /// Appends indentation for a level; very deep levels stay on the screen.
    package mutating func appendLevel(_ depth: Int) {
        appendIndent(min(depth, StyledText.indentLevelCountMax) * StyledText.indentColumnCount)
    }
}
