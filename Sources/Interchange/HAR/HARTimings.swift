internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The phases of an exchange as HAR wants them, in microseconds, one behind the other: `time` is
/// their sum. nil is -1, "does not apply"; `send`, `wait` and `receive` must be numbers.
struct HARTimings {
    private let blocked: Int64?
    private let dns: Int64?
    /// TLS included.
    private let connect: Int64?
    private let ssl: Int64?
    private let send: Int64
    private let wait: Int64
    private let receive: Int64

    init(_ timeline: Timeline) {
        blocked = HARTimings.microseconds(timeline.blocked)
        dns = HARTimings.microseconds(timeline.dns)
        ssl = HARTimings.microseconds(timeline.tls)
        let tcp = HARTimings.microseconds(timeline.connect)
        connect = tcp.map { $0 &+ (HARTimings.microseconds(timeline.tls) ?? 0) }
        receive = HARTimings.microseconds(timeline.receive) ?? 0
        if let sent = timeline[.sendEnd], let first = timeline[.responseFirstByte], sent > first {
            // Answered before the request was through: the phases must not be counted twice.
            let untilAnswer = timeline.duration(from: .sendStart, to: .responseFirstByte)
            send = HARTimings.microseconds(untilAnswer) ?? 0
            wait = 0
        } else {
            send = HARTimings.microseconds(timeline.send) ?? 0
            wait = HARTimings.microseconds(timeline.wait) ?? 0
        }
    }

    var totalUs: Int64 {
        [blocked, dns, connect, send, wait, receive].reduce(0) { $0 &+ ($1 ?? 0) }
    }

    var value: JSONValue {
        .members([
            ("blocked", HARTimings.milliseconds(blocked)),
            ("dns", HARTimings.milliseconds(dns)),
            ("connect", HARTimings.milliseconds(connect)),
            ("send", HARTimings.milliseconds(send)),
            ("wait", HARTimings.milliseconds(wait)),
            ("receive", HARTimings.milliseconds(receive)),
            ("ssl", HARTimings.milliseconds(ssl)),
        ])
    }

    static func milliseconds(_ microseconds: Int64?) -> JSONValue {
        guard let microseconds else { return .number("-1") }
        return .milliseconds(microseconds &* 1_000)
    }

    private static func microseconds(_ nanoseconds: Int64?) -> Int64? {
        // A damaged store may hold any number; a century fits.
        nanoseconds.map { (min(max(0, $0), Int64.max / 4) &+ 500) / 1_000 }
    }
}
