/// One line for a person to read: pieces of text, each with its style.
///
/// The text is raw, as it was captured: control characters are still in it. Only whoever draws a
/// line knows what is dangerous there, and makes it safe: a terminal escapes other things than a
/// page does.
package struct StyledText: Sendable, Hashable {
    /// A piece of text in one style.
    package struct Run: Sendable, Hashable {
        /// Raw text, never empty.
        package let text: String
        package let style: Style
        /// Whether tabs are spaces up to the next tab stop rather than characters to be escaped.
        package let hasTabStops: Bool

        /// A piece whose tabs are escaped unless it says otherwise.
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

    /// The pieces in the order they are read.
    package private(set) var runs: [Run] = []
    /// Columns by which the rows after the first are indented where the line is wrapped.
    package var indent = 0
    /// What a fold mark in front of the line shows.
    package var fold = Fold.none
    /// The background of all its rows; nil for none of its own.
    package var tint: Style.Role?

    /// An empty line.
    package init() {}

    /// A line of one piece.
    package init(_ text: String, _ style: Style = .plain) { append(text, style) }

    /// Adds raw text whose tabs are shown as escapes.
    package mutating func append(_ text: String, _ style: Style = .plain) {
        append(Run(text: text, style: style))
    }

    /// Adds raw text whose tabs are laid out.
    package mutating func appendTabbed(_ text: String, _ style: Style = .plain) {
        append(Run(text: text, style: style, hasTabStops: true))
    }

    /// Adds spaces, and indents the rows after the first as far.
    package mutating func appendIndent(_ columnCount: Int) {
        guard columnCount > 0 else { return }
        indent = columnCount
        append(String(repeating: " ", count: columnCount))
    }

    /// Adds a piece; one without text is left out.
    mutating func append(_ run: Run) {
        if !run.text.isEmpty { runs.append(run) }
    }

    /// The line, further to the right.
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

    /// Both lines in one, with the indent, fold and background of the first.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var sum = left
        sum.runs += right.runs
        return sum
    }

    /// Adds the pieces of another line.
    package static func += (left: inout StyledText, right: StyledText) { left.runs += right.runs }

    /// The line with attributes added to some of its text; ranges are ascending, in bytes of UTF-8,
    /// and begin and end with characters.
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

    /// The raw text without its styles.
    package var text: String { runs.map(\.text).joined() }
}

extension StyledText: ExpressibleByStringInterpolation {
    /// A plain line of a literal.
    package init(stringLiteral value: String) { self.init(value) }
}

extension StyledText.Run {
    /// Some bytes of the text, with attributes added.
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
