internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The phases of an exchange as HAR defines them, in microseconds and consecutive: `time` is their
/// sum. nil is written as -1, "does not apply"; `send`, `wait` and `receive` are required.
struct HARTimings {
    /// Includes the time in holds, whichever message was held.
    private let blocked: Int64?
    private let held: Int64?
    private let dns: Int64?
    /// Includes TLS, as HAR requires.
    private let connect: Int64?
    private let ssl: Int64?
    private let send: Int64
    private let wait: Int64
    private let receive: Int64

    init(_ exchange: Exchange) {
        let timeline = exchange.timeline
        held = exchange.heldNs.flatMap { $0 > 0 ? HARTimings.microseconds($0) : nil }
        blocked = HARTimings.blocked(exchange)
        dns = HARTimings.microseconds(timeline.dns)
        ssl = HARTimings.microseconds(timeline.tls)
        let tcp = HARTimings.microseconds(timeline.connect)
        connect = tcp.map { $0 &+ (HARTimings.microseconds(timeline.tls) ?? 0) }
        receive = HARTimings.microseconds(timeline.receive) ?? 0
        if let sent = timeline[.sendEnd], let first = timeline[.responseFirstByte], sent > first {
            // The answer came before the request was complete: the phases must not be counted
            // twice.
            let untilAnswer = timeline.duration(from: .sendStart, to: .responseFirstByte)
            send = HARTimings.microseconds(untilAnswer) ?? 0
            wait = 0
        } else {
            send = HARTimings.microseconds(timeline.send) ?? 0
            wait = HARTimings.microseconds(timeline.wait) ?? 0
        }
    }

    /// A request is held before a server is connected to, within this phase if there is one; a
    /// response after all phases. What is not within it is added.
    private static func blocked(_ exchange: Exchange) -> Int64? {
        let known = microseconds(exchange.timeline.blocked)
        let holds = exchange.appliedRules.filter { known == nil || $0.phase == .response }
            .compactMap(\.hold)
        guard !holds.isEmpty else { return known }
        return (known ?? 0) &+ (microseconds(holds.reduce(0) { $0 &+ $1.durationNs }) ?? 0)
    }

    var totalUs: Int64 {
        [blocked, dns, connect, send, wait, receive].reduce(0) { $0 &+ ($1 ?? 0) }
    }

    var value: JSONValue {
        let phases = [
            ("blocked", HARTimings.milliseconds(blocked)),
            ("dns", HARTimings.milliseconds(dns)),
            ("connect", HARTimings.milliseconds(connect)),
            ("send", HARTimings.milliseconds(send)),
            ("wait", HARTimings.milliseconds(wait)),
            ("receive", HARTimings.milliseconds(receive)),
            ("ssl", HARTimings.milliseconds(ssl)),
        ]
        return .members(phases + (held.map { [("_held", HARTimings.milliseconds($0))] } ?? []))
    }

    static func milliseconds(_ microseconds: Int64?) -> JSONValue {
        guard let microseconds else { return .number("-1") }
        return .milliseconds(Nanoseconds.clamping(microseconds: microseconds))
    }

    private static func microseconds(_ nanoseconds: Int64?) -> Int64? {
        // A damaged store may contain any number; the limit still fits a century.
        nanoseconds.map { (min(max(0, $0), Int64.max / 4) &+ 500) / 1_000 }
    }
}
