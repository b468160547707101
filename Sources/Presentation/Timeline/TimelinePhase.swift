package import ProxydHTTPModel

/// The part of an exchange between two moments of its timeline.
package struct TimelinePhase: Sendable {
    /// The name, one lower-case word, such as `dns` or `wait`.
    package let name: String
    package let start: Moment
    package let end: Moment
    /// The colour of the phase's bar.
    package let role: Style.Role

    /// The phases between proxy and server, in chronological order.
    package static let server = [
        TimelinePhase(name: "dns", start: .dnsStart, end: .dnsEnd, role: .dns),
        TimelinePhase(name: "connect", start: .connectStart, end: .connectEnd, role: .connect),
        TimelinePhase(name: "tls", start: .tlsStart, end: .tlsEnd, role: .tls),
        TimelinePhase(name: "send", start: .sendStart, end: .sendEnd, role: .send),
        TimelinePhase(name: "wait", start: .sendEnd, end: .responseFirstByte, role: .wait),
        TimelinePhase(
            name: "receive", start: .responseFirstByte, end: .responseLastByte, role: .receive),
    ]

    /// All phases; the first and the last are between client and proxy.
    package static let all =
        [
            TimelinePhase(
                name: "upload", start: .requestFirstByte, end: .requestLastByte, role: .dim)
        ] + server + [
            TimelinePhase(name: "deliver", start: .responseLastByte, end: .delivered, role: .dim)
        ]

    /// The duration in nanoseconds, or nil if the phase did not occur or did not end.
    package func duration(_ timeline: Timeline) -> Int64? {
        guard let first = timeline[start], let last = timeline[end], last >= first else {
            return nil
        }
        let (duration, isOver) = last.subtractingReportingOverflow(first)
        return isOver ? .max : duration
    }
}
