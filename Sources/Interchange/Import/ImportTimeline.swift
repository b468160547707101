internal import ProxydHTTPModel

/// Builds a timeline from consecutive phases, all in nanoseconds; nil for unknown ones.
struct ImportTimeline {
    let wallStart: Int64
    var blocked: Int64?
    var dns: Int64?
    /// The TCP connect alone, without TLS.
    var connect: Int64?
    var tls: Int64?
    var send: Int64?
    var wait: Int64?
    var receive: Int64?
    var total: Int64?
    var isReused = false

    /// Builds the timeline; `hasResponse` says whether it includes the response.
    func timeline(hasResponse: Bool) -> Timeline {
        var timeline = Timeline(wallStart: wallStart, start: 0)
        timeline.connectionReused = isReused
        for moment in [Moment.requestFirstByte, .requestHead, .requestLastByte] {
            timeline[moment] = 0
        }
        var now = blocked ?? 0
        func pass(_ duration: Int64?, _ from: Moment, _ to: Moment) {
            guard let duration else { return }
            timeline[from] = now
            now = now &+ duration
            timeline[to] = now
        }
        pass(dns, .dnsStart, .dnsEnd)
        pass(connect, .connectStart, .connectEnd)
        pass(tls, .tlsStart, .tlsEnd)
        pass(send, .sendStart, .sendEnd)
        if hasResponse {
            now = now &+ (wait ?? 0)
            timeline[.responseFirstByte] = now
            timeline[.responseHead] = now
            now = now &+ (receive ?? 0)
            timeline[.responseLastByte] = now
        }
        timeline[hasResponse ? .delivered : .ended] = max(now, total ?? 0)
        return timeline
    }
}
