public import ProxydHTTPModel

/// When the steps of making a connection started and ended, in monotonic nanoseconds; nil for steps
/// that were not needed (no lookup for an IP address, no TLS on a plain connection) or not reached.
public struct ConnectTimings: Sendable, Hashable {
    /// When the name lookup started.
    public var dnsStart: Int64?
    /// When the name lookup ended.
    public var dnsEnd: Int64?
    /// When the first attempt to connect started.
    public var connectStart: Int64?
    /// When the connection was established.
    public var connectEnd: Int64?
    /// When the TLS handshake started.
    public var tlsStart: Int64?
    /// When the TLS handshake was complete.
    public var tlsEnd: Int64?

    /// Creates timings in which no step has started.
    public init() {}

    /// Marks the moments in a timeline.
    public func write(to timeline: inout Timeline) {
        let moments: [(Moment, Int64?)] = [
            (.dnsStart, dnsStart), (.dnsEnd, dnsEnd), (.connectStart, connectStart),
            (.connectEnd, connectEnd), (.tlsStart, tlsStart), (.tlsEnd, tlsEnd),
        ]
        for case (let moment, let time?) in moments { timeline.mark(moment, at: time) }
    }
}
