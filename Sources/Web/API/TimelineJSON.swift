internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation

/// The phases of an exchange as bars: each with its start and its length.
enum TimelineJSON {
    static func value(_ timeline: Timeline) -> JSONValue {
        let spans = TimelinePhase.all.compactMap { span($0, timeline) }
        return .members([
            ("spans", .array(spans)), ("total_ms", .milliseconds(timeline.totalDuration)),
        ])
    }

    private static func span(_ phase: TimelinePhase, _ timeline: Timeline) -> JSONValue? {
        guard let duration = phase.duration(timeline), let start = timeline[phase.start] else {
            return nil
        }
        return .members([
            ("name", .string(phase.name)), ("start_ms", .milliseconds(start)),
            ("duration_ms", .milliseconds(duration)),
            ("side", .string(phase.role == .dim ? "client" : "server")),
        ])
    }
}
