internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation

/// The phases of an exchange as bars: each with its start and its length in milliseconds. Times in
/// holds are bars, too. What none of them covers is the proxy's own time.
enum TimelineJSON {
    private struct Span {
        let name: String
        let start: Int64
        let end: Int64
        var kind = Kind.network
    }

    private enum Kind: String {
        case network, proxy, held
    }

    static func value(_ exchange: Exchange) -> JSONValue {
        let timeline = exchange.timeline
        let holds = exchange.holds.map {
            Span(
                name: "held", start: $0.startNs, end: $0.startNs.addingClamped($0.durationNs),
                kind: .held)
        }
        let phases = TimelinePhase.all.compactMap { span($0, timeline) } + holds
        let all = phases + gaps(between: phases, until: timeline.totalDuration ?? 0)
        return .members([
            ("spans", .array(all.sorted { $0.start < $1.start }.map(value))),
            ("total_ms", .milliseconds(timeline.totalDuration)),
        ])
    }

    private static func span(_ phase: TimelinePhase, _ timeline: Timeline) -> Span? {
        guard let duration = phase.duration(timeline), let start = timeline[phase.start] else {
            return nil
        }
        return Span(name: phase.name, start: start, end: start.addingClamped(duration))
    }

    /// What lies between the phases, which may overlap.
    private static func gaps(between phases: [Span], until total: Int64) -> [Span] {
        var gaps: [Span] = []
        var reached: Int64 = 0
        for phase in phases.sorted(by: { $0.start < $1.start }) {
            if phase.start > reached {
                gaps.append(Span(name: "proxy", start: reached, end: phase.start, kind: .proxy))
            }
            reached = max(reached, phase.end)
        }
        if total > reached {
            gaps.append(Span(name: "proxy", start: reached, end: total, kind: .proxy))
        }
        return gaps
    }

    private static func value(_ span: Span) -> JSONValue {
        .members([
            ("name", .string(span.name)), ("start_ms", .milliseconds(span.start)),
            ("duration_ms", .milliseconds(span.end - span.start)),
            ("kind", .string(span.kind.rawValue)),
        ])
    }
}
