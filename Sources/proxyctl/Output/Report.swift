internal import Capture
internal import ProxydExchangeContent
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydTerminalText
internal import Glibc

/// Prints the output of a command line by line.
struct Report: Sendable {
    private let sink: any ByteSink
    private let renderer: LineRenderer

    init(_ environment: Environment = .current) {
        sink = environment.output
        renderer = LineRenderer(
            columnCount: environment.columnCount, usesColour: environment.usesColour)
    }

    /// Prints one line for users, truncated to the width of the terminal.
    func line(_ text: StyledText = "") { sink.write(Array((renderer.render(text) + "\n").utf8)) }

    /// Prints one line for users, wrapped to the width of the terminal.
    func wrapped(_ text: StyledText) {
        for line in renderer.wrap(text) { sink.write(Array((line + "\n").utf8)) }
    }

    /// Prints one line that may be wider than the terminal, so that it can be copied completely.
    func whole(_ text: StyledText) {
        let renderer = LineRenderer(columnCount: nil, usesColour: renderer.usesColour)
        sink.write(Array((renderer.render(text) + "\n").utf8))
    }

    func json(_ value: JSONValue) {
        var line: [UInt8] = []
        JSONText.write(value, into: &line)
        line.append(0x0A)
        sink.write(line)
    }

    /// Prints bytes unchanged: only what the user requested exactly, and not on a terminal.
    func exactly(_ bytes: [UInt8]) { sink.write(bytes) }

    func flush() { sink.flush() }

    /// Prints a message to standard error.
    static func warn(_ message: String, _ environment: Environment = .current) {
        environment.errors.write(Array("proxyctl: \(TerminalText.sanitize(message))\n".utf8))
        environment.errors.flush()
    }

    /// Prints a line that belongs to the message before it to standard error.
    static func quote(_ line: String, _ environment: Environment) {
        environment.errors.write(Array("\(TerminalText.sanitize(line))\n".utf8))
        environment.errors.flush()
    }
}

/// Renders styled lines for output: made safe, truncated to the width, coloured.
struct LineRenderer: Sendable {
    /// The maximum width of a line in columns, or nil for no limit.
    var columnCount: Int?
    /// Whether styles are written as terminal sequences.
    var usesColour: Bool

    /// The line without a line break. Lines wider than the terminal are truncated with an ellipsis.
    func render(_ line: StyledText) -> String {
        guard let columnCount else { return write(line) }
        return write(line.fitted(to: columnCount))
    }

    /// The line wrapped to the terminal's width; lines after the first are indented further.
    func wrap(_ line: StyledText) -> [String] {
        guard let columnCount else { return [write(line)] }
        let hanging = min(line.leadingSpaceCount + 2, columnCount / 2)
        return line.rows(width: columnCount, hanging: hanging).map(write)
    }

    private func write(_ line: StyledText) -> String {
        line.safeRuns.map { styled($0.text, $0.style) }.joined()
    }

    private func styled(_ text: String, _ style: Style) -> String {
        let codes = usesColour ? style.graphicCodes : ""
        return codes.isEmpty ? text : "\u{1B}[\(codes)m\(text)\u{1B}[0m"
    }
}

extension StyledText {
    fileprivate var leadingSpaceCount: Int {
        var count = 0
        for run in runs {
            let spaces = run.text.prefix { $0 == " " }.count
            count += spaces
            if spaces < run.text.count { break }
        }
        return count
    }
}

extension Style {
    /// The parameters of SGR (ECMA-48 §8.3.117), joined with `;`: one of the eight colours every
    /// terminal has. Empty for plain text. Backgrounds are only for full screens and are ignored
    /// here.
    var graphicCodes: String {
        var codes = attributes.contains(.bold) ? ["1"] : []
        if let code = Style.code(foreground), !codes.contains(code) { codes.append(code) }
        return codes.joined(separator: ";")
    }

    private static func code(_ role: Role) -> String? {
        switch role {
        case .plain, .punctuation, .bar, .selection, .match, .added, .removed: nil
        case .heading: "1"
        case .dim, .comment, .scale1: "2"
        case .bad, .serverError, .scale5: "31"
        case .good, .success, .string, .wait, .scale2: "32"
        case .notice, .warning, .clientError, .number, .send, .escape, .scale3, .scale4: "33"
        case .redirection, .connect, .receive: "34"
        case .keyword, .tag, .tls: "35"
        case .accent, .key, .attribute, .informational, .dns: "36"
        }
    }
}

/// Rows in aligned columns, each as wide as its widest cell, within limits.
struct TextTable {
    enum Alignment: Sendable {
        case left
        case right
    }

    struct Column: Sendable {
        var title: String
        var alignment = Alignment.left
        /// Cells wider than this are truncated.
        var columnCountMax = 60
    }

    private let columns: [Column]
    private var rows: [[StyledText]] = []

    init(_ columns: [Column]) { self.columns = columns }

    init(titles: [String]) { columns = titles.map { Column(title: $0) } }

    mutating func append(_ row: [StyledText]) { rows.append(row) }

    /// The lines: a heading if there are any titles, then the rows.
    func lines() -> [StyledText] {
        let titles = columns.map { StyledText($0.title, .heading) }
        let heading = columns.allSatisfy(\.title.isEmpty) ? [] : [titles]
        let widths = TextTable.widths(of: heading + rows, columns)
        return (heading + rows).map { TextTable.line($0, columns, widths) }
    }

    static func widths(of rows: [[StyledText]], _ columns: [Column]) -> [Int] {
        columns.indices.map { index in
            let widest = rows.map { index < $0.count ? $0[index].columnCount : 0 }.max() ?? 0
            return min(widest, columns[index].columnCountMax)
        }
    }

    /// One row as a line; the last column is neither padded nor truncated.
    static func line(_ row: [StyledText], _ columns: [Column], _ widths: [Int]) -> StyledText {
        var line = StyledText()
        for (index, cell) in row.enumerated() where index < columns.count {
            let isLast = index == columns.count - 1
            let isRight = columns[index].alignment == .right
            let fitted = isLast && !isRight ? cell : cell.fitted(to: widths[index])
            let padding = String(repeating: " ", count: max(0, widths[index] - fitted.columnCount))
            if index > 0 { line.append("  ") }
            if isRight { line.append(padding) }
            line += fitted
            if !isRight, !isLast { line.append(padding) }
        }
        return line
    }
}

/// The progress of a long command on one line of standard error; nothing if that is not a terminal.
struct ProgressBar {
    private static let redrawNs: Int64 = 100_000_000
    private static let barColumnCountMax = 40

    private let label: String
    private let errors: any ByteSink
    private let columnCount: Int?
    private var drawnAt: Int64?

    /// Creates a bar with a label such as `exporting`.
    init(_ label: String, _ environment: Environment = .current) {
        self.label = label
        errors = environment.errors
        columnCount = environment.errorColumnCount
    }

    /// Shows progress at most ten times a second. `fraction` is from 0 to 1, or nil if the end is
    /// unknown; `now` is any clock in nanoseconds.
    mutating func show(_ fraction: Double?, _ text: String, now: Int64) {
        guard let columnCount else { return }
        if let drawnAt, now &- drawnAt < ProgressBar.redrawNs { return }
        drawnAt = now
        let line = ProgressBar.line(label, fraction, text, columnCount: columnCount)
        errors.write(Array("\r\u{1B}[K\(line)".utf8))
        errors.flush()
    }

    /// Removes the line.
    mutating func finish() {
        guard drawnAt != nil else { return }
        drawnAt = nil
        errors.write(Array("\r\u{1B}[K".utf8))
        errors.flush()
    }

    /// A line such as `exporting  [#####.....]  50 %  1,234 exchanges`, never wider than the
    /// terminal.
    static func line(
        _ label: String, _ fraction: Double?, _ text: String, columnCount: Int
    ) -> String {
        var line = label
        if let fraction {
            let bounded = fraction.isFinite ? min(max(fraction, 0), 1) : 0
            let room = columnCount - label.count - text.count - 14
            let width = min(barColumnCountMax, room)
            if width >= 5 {
                let full = Int(bounded * Double(width))
                let bar = String(repeating: "#", count: full)
                line += "  [" + bar + String(repeating: ".", count: width - full) + "]"
            }
            line += "  \(Int(bounded * 100)) %"
        }
        return String("\(line)  \(text)".prefix(max(0, columnCount - 1)))
    }
}

/// What to do next, for users who see nothing.
enum NextStep {
    static func withoutStore(_ directory: DataDirectory) -> String {
        let facts = facts(directory)
        guard facts.isDaemonRunning == false else { return withoutTraffic(facts) }
        return "start the proxy with \(facts.daemonCommand ?? "proxyd"), or name another data "
            + "directory with --data-dir"
    }

    static func withUnusableStore(_ directory: DataDirectory) -> String {
        guard faccessat(AT_FDCWD, directory.storePath, R_OK, AT_EACCESS) == 0 else {
            return "run proxyctl as the user who runs proxyd, or name another data directory with "
                + "--data-dir"
        }
        return "move it away, so that proxyd can create a store there, or name another data "
            + "directory with --data-dir"
    }

    static func withoutDaemon(_ directory: DataDirectory) -> String {
        "start the proxy with \(facts(directory).daemonCommand ?? "proxyd")"
    }

    static func withoutTraffic(_ directory: DataDirectory) -> String {
        withoutTraffic(facts(directory))
    }

    private static func withoutTraffic(_ facts: StatusFacts) -> String {
        guard facts.isDaemonRunning != false else {
            return "start the proxy with \(facts.daemonCommand ?? "proxyd")"
        }
        if let reason = facts.recordingStoppedBecause { return "recording is stopped: \(reason)" }
        return "send something through the proxy, as with curl -x \(facts.proxyURL) "
            + "http://example.com/"
    }

    private static func facts(_ directory: DataDirectory) -> StatusFacts {
        DaemonInspector(directory: directory, holds: DaemonHolds(directory)).facts()
    }
}
