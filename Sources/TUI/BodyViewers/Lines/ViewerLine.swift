internal import ProxydTerminalText

/// One line of a viewer: pieces of text, each with its style. The text is safe for a terminal:
/// nothing gets in but through the sanitizer.
struct ViewerLine: Sendable, Hashable {
    struct Run: Sendable, Hashable {
        let text: String
        let style: Style
    }

    /// Whether something hides behind the line or unfolds below it.
    enum Fold: Sendable, Hashable {
        case none
        case open
        case closed
    }

    private(set) var runs: [Run] = []
    /// Columns that rows of a wrapped line are indented by.
    var indent = 0
    var fold = Fold.none
    /// The background of all its rows; nil for none of its own.
    var tint: Style.Role?

    /// An empty line.
    init() {}

    /// A line of one piece.
    init(_ text: String, _ role: Style.Role = .plain) { append(text, role) }

    /// Adds text; what would harm a terminal is shown as symbols.
    mutating func append(_ text: String, _ role: Style.Role = .plain) {
        add(TerminalText.sanitize(text), Style(role))
    }

    /// Adds text whose tabs are laid out.
    mutating func appendTabbed(_ text: String, _ role: Style.Role = .plain) {
        // Line ends would have been taken off; one that is left is shown as such.
        let line = text.replacing("\n", with: "\\n")
        add(TerminalText.sanitize(line, layout: .multiLine), Style(role))
    }

    /// Adds octets that should be UTF-8.
    mutating func append(_ octets: ArraySlice<UInt8>, _ role: Style.Role = .plain) {
        add(TerminalText.sanitize(Array(octets)), Style(role))
    }

    /// Adds octets that should be UTF-8 and whose tabs are laid out.
    mutating func appendTabbed(_ octets: ArraySlice<UInt8>, _ role: Style.Role = .plain) {
        guard octets.contains(0x09), !octets.contains(0x0A) else { return append(octets, role) }
        add(TerminalText.sanitize(Array(octets), layout: .multiLine), Style(role))
    }

    /// Adds a cell of a picture: two pixels, one above the other.
    mutating func appendPixels(top: Style.Paint, bottom: Style.Paint) {
        add("▀", Style(foreground: top, background: bottom))
    }

    /// Adds spaces in front.
    mutating func appendIndent(_ columnCount: Int) {
        guard columnCount > 0 else { return }
        indent = columnCount
        add(String(repeating: " ", count: columnCount), .plain)
    }

    /// The line, further to the right.
    func indented(by columnCount: Int) -> ViewerLine {
        var line = ViewerLine()
        line.appendIndent(columnCount)
        line.indent += indent
        line.runs += runs
        return line
    }

    /// The line behind a sign of one column, on a background.
    func marked(_ sign: String, on tint: Style.Role?) -> ViewerLine {
        var line = ViewerLine("\(sign) ", .dim)
        line.indent = indent + 2
        line.runs += runs
        line.tint = tint
        return line
    }

    private mutating func add(_ text: String, _ style: Style) {
        guard !text.isEmpty else { return }
        if let last = runs.last, last.style == style {
            runs[runs.count - 1] = Run(text: last.text + text, style: style)
        } else {
            runs.append(Run(text: text, style: style))
        }
    }

    /// The line without its styles.
    var text: String { runs.map(\.text).joined() }

    /// The columns it takes.
    var columnCount: Int { runs.reduce(0) { $0 + TerminalText.displayWidth($1.text) } }
}
