package import ProxydHTTPModel

/// A stretch of an exchange between two of its moments.
package struct TimelinePhase: Sendable {
    /// One lower-case word: `dns`, `wait`.
    package let name: String
    package let start: Moment
    package let end: Moment
    /// The colour of its bar.
    package let role: Style.Role

    /// The phases between proxy and server, in the order in which they come.
    package static let server = [
        TimelinePhase(name: "dns", start: .dnsStart, end: .dnsEnd, role: .dns),
        TimelinePhase(name: "connect", start: .connectStart, end: .connectEnd, role: .connect),
        TimelinePhase(name: "tls", start: .tlsStart, end: .tlsEnd, role: .tls),
        TimelinePhase(name: "send", start: .sendStart, end: .sendEnd, role: .send),
        TimelinePhase(name: "wait", start: .sendEnd, end: .responseFirstByte, role: .wait),
        TimelinePhase(
            name: "receive", start: .responseFirstByte, end: .responseLastByte, role: .receive),
    ]

    /// All phases: those between client and proxy are the first and the last.
    package static let all =
        [
            TimelinePhase(
                name: "upload", start: .requestFirstByte, end: .requestLastByte, role: .dim)
        ] + server + [
            TimelinePhase(name: "deliver", start: .responseLastByte, end: .delivered, role: .dim)
        ]

    /// Nanoseconds it took; nil where it did not come, or not to its end.
    package func duration(_ timeline: Timeline) -> Int64? {
        guard let first = timeline[start], let last = timeline[end], last >= first else {
            return nil
        }
        let (duration, isOver) = last.subtractingReportingOverflow(first)
        return isOver ? .max : duration
    }
}
