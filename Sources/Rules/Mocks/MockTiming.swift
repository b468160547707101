public import ProxydHTTPModel

/// How long a captured response took, in nanoseconds.
public struct MockTiming: Sendable, Hashable {
    /// The maximum wait, the same as for delays in rules: ten minutes.
    static let durationNsMax: Int64 = 600_000_000_000

    /// From the end of the request to the first byte of the response.
    public let firstByteNs: Int64
    /// From the first to the last byte of the response.
    public let bodyNs: Int64

    /// The times of an exchange; 0 for those that are unknown.
    public init(_ timeline: Timeline) {
        let first =
            timeline.duration(from: .requestLastByte, to: .responseFirstByte)
            ?? timeline.wait ?? timeline.latency ?? 0
        firstByteNs = min(first, MockTiming.durationNsMax)
        bodyNs = min(timeline.receive ?? 0, MockTiming.durationNsMax)
    }
}
