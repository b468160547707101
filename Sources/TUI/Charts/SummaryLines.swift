internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydPresentation

struct SummaryLines {
    /// How many names of a kind are listed; the others are added up.
    private static let nameCountMax = 30

    let summary: ExchangeSummary
    /// The slowest exchanges, as far as they were read.
    let rows: [ExchangeID: ExchangeRow]
    let clock: WallTime

    var left: [SummaryLine] {
        totals() + [.blank] + measures() + [.blank] + statuses() + [.blank] + methods()
    }

    var right: [SummaryLine] { slowest() + [.blank] + hosts() }

    // MARK: Groups

    private func totals() -> [SummaryLine] {
        let all = summary.all
        var lines = [SummaryLine.heading("all of them")]
        lines.append(.pair("exchanges", Quantity.grouped(all.count)))
        let share = percent(all.errorCount, of: all.count)
        lines.append(
            .pair(
                "errors", "\(Quantity.grouped(all.errorCount))  \(share)",
                Style(all.errorCount > 0 ? .bad : .plain)))
        lines.append(.pair("bodies", Quantity.bytes(all.byteCount)))
        guard all.count > 0 else { return lines }
        lines.append(.pair("first", time(summary.firstStartedAtNs)))
        lines.append(.pair("newest", time(all.lastStartedAtNs)))
        return lines
    }

    private func measures() -> [SummaryLine] {
        let titles = ["median", "p90", "p99", "max", "mean"]
        var heading = SummaryLine.heading("")
        heading.text = StyledText(cell("", 12), Style(.dim))
        for title in titles {
            heading.text.append(cell(title, 9, isRight: true), Style(.heading).adding(.bold))
        }
        let durations = figures(summary.durations, from: 10_000_000, Quantity.duration)
        let sizes = figures(summary.sizes, from: 1_000, Quantity.bytes)
        return [heading, row("duration", durations), row("response", sizes)]
    }

    private func figures(
        _ values: ValueHistogram, from start: Int64, _ text: (Int64) -> String
    ) -> StyledText {
        let figures = [
            values.percentile(0.5), values.percentile(0.9), values.percentile(0.99),
            values.count > 0 ? values.largest : nil, values.mean,
        ]
        return figures.reduce(into: StyledText()) { line, figure in
            let role = figure.map { Quantity.scale($0, from: start) } ?? .dim
            line.append(cell(figure.map(text) ?? "-", 9, isRight: true), Style(role))
        }
    }

    private func row(_ name: String, _ figures: StyledText) -> SummaryLine {
        SummaryLine(text: StyledText(cell("  " + name, 12), Style(.dim)) + figures)
    }

    private func statuses() -> [SummaryLine] {
        let sorted = summary.statuses.sorted { ($0.value, $1.key ?? 0) > ($1.value, $0.key ?? 0) }
        return [.heading("status")]
            + counted(sorted.map { ($0.key, $0.value) }) { status in
                (
                    status.map { "\($0)" } ?? "no response",
                    status.map(Style.ofStatus) ?? Style(.bad),
                    status.map { "status=\($0)" } ?? "not status>=0"
                )
            }
    }

    private func methods() -> [SummaryLine] {
        let sorted = summary.methods.sorted { ($0.value, $1.key ?? "") > ($1.value, $0.key ?? "") }
        return [.heading("method")]
            + counted(sorted.map { ($0.key, $0.value) }) { method in
                (
                    method ?? "unreadable", Style(.plain).adding(.bold),
                    method.map { "method=" + FilterText.quoted($0) } ?? "not method~."
                )
            }
    }

    private func hosts() -> [SummaryLine] {
        let sorted = summary.hosts.sorted {
            ($0.value.count, $1.key ?? "") > ($1.value.count, $0.key ?? "")
        }
        return [.heading("host")]
            + counted(sorted.map { ($0.key, $0.value.count) }) { host in
                (
                    host ?? "unreadable", Style(.accent),
                    host.map { "host=" + FilterText.quoted($0) } ?? "not host~."
                )
            }
    }

    /// Lines with counts, largest first; the remaining ones share one line.
    private func counted<Name>(
        _ sorted: [(Name, Int64)], _ say: (Name) -> (text: String, style: Style, filter: String)
    ) -> [SummaryLine] {
        var lines = sorted.prefix(SummaryLines.nameCountMax).map { name, count in
            let (text, style, filter) = say(name)
            var line = SummaryLine(text: StyledText("  " + text, style))
            line.value = value(count)
            line.share = Double(count) / Double(max(1, summary.all.count))
            line.choice = .filter(filter)
            return line
        }
        let rest = sorted.dropFirst(SummaryLines.nameCountMax)
        let restCount = rest.reduce(summary.otherCount) { $0 + $1.1 }
        if rest.count > 0 {
            lines.append(
                SummaryLine(
                    text: StyledText("  \(Quantity.grouped(Int64(rest.count))) more", Style(.dim)),
                    value: value(restCount)))
        }
        return lines
    }

    private func value(_ count: Int64) -> StyledText {
        let share = cell(percent(count, of: summary.all.count), 6, isRight: true)
        return StyledText("\(cell(Quantity.grouped(count), 10, isRight: true))  \(share)")
    }

    private func slowest() -> [SummaryLine] {
        [.heading("slowest")]
            + summary.slowest.map { slow in
                var line = SummaryLine(
                    text: StyledText(
                        "  " + cell(Quantity.duration(slow.durationNs), 8, isRight: true) + " ",
                        Style(Quantity.scale(slow.durationNs, from: 10_000_000))))
                guard let row = rows[slow.id] else {
                    line.text.append("#\(slow.id)", Style(.dim))
                    return line
                }
                line.text.append("\(row.method ?? "-") ", Style(.plain).adding(.bold))
                if let status = row.status { line.text.append("\(status) ", .ofStatus(status)) }
                line.text.append(row.host ?? "-", Style(.accent))
                line.text.append(" " + (row.path ?? ""))
                line.choice = .open(row)
                return line
            }
    }

    // MARK: Pieces

    private func time(_ nanoseconds: Int64) -> String {
        "\(clock.date(nanoseconds)) \(clock.time(nanoseconds))"
    }

    private func percent(_ count: Int64, of all: Int64) -> String {
        guard all > 0 else { return "" }
        let share = Double(count) / Double(all) * 100
        if count == 0 { return "" }
        if share >= 99.95 { return "100 %" }
        if share < 0.05 { return "<0.1 %" }
        let tenths = Int((share * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    private func cell(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        text.padded(to: width, isRight: isRight)
    }
}

struct SummaryLine: Sendable {
    enum Choice: Sendable {
        case nothing
        /// Lists the rows that match this in addition to the filter.
        case filter(String)
        case open(ExchangeRow)
    }

    var text = StyledText()
    /// The text at the right edge.
    var value = StyledText()
    /// The length of a bar between the two, 0 to 1.
    var share: Double?
    var choice = Choice.nothing

    var isChoice: Bool {
        if case .nothing = choice { return false }
        return true
    }

    static let blank = SummaryLine()

    static func heading(_ text: String) -> SummaryLine {
        SummaryLine(text: StyledText(text, Style(.heading).adding(.bold)))
    }

    static func pair(_ name: String, _ value: String, _ style: Style = .plain) -> SummaryLine {
        SummaryLine(
            text: StyledText("  " + name.padded(to: 12), Style(.dim)) + StyledText(value, style))
    }
}
