internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The times of a transaction of Charles: moments in `times`, and in `durations` how long the
/// phases took that have no moments.
enum CharlesTimes {
    private static func moment(_ value: JSONValue, _ name: String) -> Int64? {
        value["times"]?[name]?.text.flatMap { RFC3339.nanoseconds($0) }
    }

    static func timeline(
        _ value: JSONValue, _ startedAt: Int64, hasResponse: Bool
    ) -> Timeline {
        var timeline = Timeline(wallStart: startedAt, start: 0)
        timeline.connectionReused = value["keptAlive"]?.bool ?? false
        func set(_ moment: Moment, _ name: String) {
            guard let at = CharlesTimes.moment(value, name), at >= startedAt else { return }
            let (offset, isTooLarge) = at.subtractingReportingOverflow(startedAt)
            if !isTooLarge { timeline[moment] = offset }
        }
        set(.requestFirstByte, "requestBegin")
        set(.requestLastByte, "requestComplete")
        if hasResponse {
            set(.responseFirstByte, "responseBegin")
            set(.responseLastByte, "end")
        }
        set(hasResponse ? .delivered : .ended, "end")
        if !timeline.connectionReused { connect(&timeline, value) }
        return timeline
    }

    /// The phases of connecting follow one another from the start of the request; they are left out
    /// if they do not fit before the response.
    private static func connect(_ timeline: inout Timeline, _ value: JSONValue) {
        let phases: [(name: String, start: Moment, end: Moment)] = [
            ("dns", .dnsStart, .dnsEnd), ("connect", .connectStart, .connectEnd),
            ("ssl", .tlsStart, .tlsEnd),
        ]
        var now = timeline[.requestFirstByte] ?? 0
        var connected = timeline
        for phase in phases {
            guard let duration = value["durations"]?[phase.name]?.nanoseconds else { continue }
            connected[phase.start] = now
            now = now &+ duration
            connected[phase.end] = now
        }
        if now <= timeline[.responseFirstByte] ?? Int64.max { timeline = connected }
    }
}
