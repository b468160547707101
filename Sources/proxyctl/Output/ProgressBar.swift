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
