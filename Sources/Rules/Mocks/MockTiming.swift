public import ProxydHTTPModel

/// How long a captured response took, in nanoseconds.
public struct MockTiming: Sendable, Hashable {
    /// No wait is longer than those that rules can ask for, ten minutes.
    static let durationNsMax: Int64 = 600_000_000_000

    /// From the request's end to the response's first byte.
    public let firstByteNs: Int64
    /// From there to its last.
    public let bodyNs: Int64

    /// The times of an exchange; 0 for those that are not known.
    public init(_ timeline: Timeline) {
        let first =
            timeline.duration(from: .requestLastByte, to: .responseFirstByte)
            ?? timeline.wait ?? timeline.latency ?? 0
        firstByteNs = min(first, MockTiming.durationNsMax)
        bodyNs = min(timeline.receive ?? 0, MockTiming.durationNsMax)
    }
}
