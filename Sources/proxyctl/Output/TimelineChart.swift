internal import ProxydHTTPModel
internal import ProxydTerminalText

/// A timeline as lines: each phase with its duration and a bar at its place in the whole.
enum TimelineChart {
    private struct Phase {
        let name: String
        let start: Moment
        let end: Moment
        let style: Style
    }

    private static let phases = [
        Phase(name: "upload", start: .requestFirstByte, end: .requestLastByte, style: .dim),
        Phase(name: "dns", start: .dnsStart, end: .dnsEnd, style: .cyan),
        Phase(name: "connect", start: .connectStart, end: .connectEnd, style: .blue),
        Phase(name: "tls", start: .tlsStart, end: .tlsEnd, style: .magenta),
        Phase(name: "send", start: .sendStart, end: .sendEnd, style: .yellow),
        Phase(name: "wait", start: .sendEnd, end: .responseFirstByte, style: .green),
        Phase(name: "receive", start: .responseFirstByte, end: .responseLastByte, style: .blue),
        Phase(name: "deliver", start: .responseLastByte, end: .delivered, style: .dim),
    ]

    /// The lines; bars are `barColumnCount` columns wide at most.
    static func lines(_ timeline: Timeline, barColumnCount: Int = 40) -> [StyledText] {
        let total = timeline.totalDuration ?? 0
        var lines = phases.compactMap { line($0, timeline, total, barColumnCount) }
        lines.append(
            label("total", total)
                + StyledText(timeline.connectionReused ? "connection reused" : "", .dim))
        return lines
    }

    private static func line(
        _ phase: Phase, _ timeline: Timeline, _ total: Int64, _ columnCount: Int
    ) -> StyledText? {
        guard let start = timeline[phase.start], let end = timeline[phase.end], end >= start
        else { return nil }
        let first = column(start, total, columnCount)
        let last = max(first + 1, column(end, total, columnCount))
        let bar =
            String(repeating: " ", count: min(first, columnCount - 1))
            + String(repeating: "█", count: min(last, columnCount) - min(first, columnCount - 1))
        return label(phase.name, end &- start) + StyledText(bar, phase.style)
    }

    private static func column(_ offset: Int64, _ total: Int64, _ columnCount: Int) -> Int {
        guard total > 0 else { return 0 }
        let share = Double(max(0, offset)) / Double(total)
        return min(columnCount, Int((min(1, share) * Double(columnCount)).rounded(.down)))
    }

    private static func label(_ name: String, _ duration: Int64) -> StyledText {
        let text = Quantity.duration(duration)
        let padding = String(repeating: " ", count: max(0, 10 - text.count))
        return StyledText("  " + name + String(repeating: " ", count: max(1, 9 - name.count)))
            + StyledText(padding + text + "  ", .bold)
    }
}
