public import ProxydHTTPModel

/// When the steps of making a connection began and ended: monotonic nanoseconds, nil for steps that
/// were not needed (no look-up for an IP address, no TLS on a plain connection) or never came.
public struct ConnectTimings: Sendable, Hashable {
    /// The look-up of the name began.
    public var dnsStart: Int64?
    /// The look-up ended.
    public var dnsEnd: Int64?
    /// The first attempt to connect began.
    public var connectStart: Int64?
    /// The connection stood.
    public var connectEnd: Int64?
    /// The TLS handshake began.
    public var tlsStart: Int64?
    /// The TLS handshake was done.
    public var tlsEnd: Int64?

    /// Nothing yet.
    public init() {}

    /// Notes the moments in a timeline.
    public func write(to timeline: inout Timeline) {
        let moments: [(Moment, Int64?)] = [
            (.dnsStart, dnsStart), (.dnsEnd, dnsEnd), (.connectStart, connectStart),
            (.connectEnd, connectEnd), (.tlsStart, tlsStart), (.tlsEnd, tlsEnd),
        ]
        for case (let moment, let time?) in moments { timeline.mark(moment, at: time) }
    }
}
