import ProxydTestSupport

@testable import ProxydRules

/// Drives a link as its user does: with a timer that is set to what is due next.
struct ThrottleRun {
    struct Arrival: Equatable {
        let ms: Double
        let flow: Int64
        let kind: ThrottleArrival.Kind
    }

    var link: ThrottleLink
    private(set) var arrivals: [Arrival] = []
    /// How many bytes of each flow wait.
    private var waiting: [Int64: Int] = [:]

    init(_ link: ThrottleLink) { self.link = link }

    init(
        bytesPerSecond: Int?, latencyMs: Int = 0, pieceByteCount: Int? = nil
    ) {
        self.init(
            ThrottleLink(
                bytesPerSecond: bytesPerSecond, latencyNs: Int64(latencyMs) * 1_000_000,
                faults: ThrottleFaults(ThrottleProfile(), seed: 0), pieceByteCount: pieceByteCount))
    }

    /// Bytes of a flow come, after all that is due before.
    mutating func come(_ byteCount: Int, of flow: Int64 = 1, atMs ms: Int64) {
        run(untilNs: ms * 1_000_000)
        waiting[flow, default: 0] += byteCount
        link.waits(
            waiting[flow] ?? 0, of: ThrottleFlow(rawValue: flow), atNs: ms * 1_000_000)
    }

    /// Lets the time pass until nothing is due, or until a moment.
    mutating func run(untilNs end: Int64 = .max, timerIsLateByNs lateness: Int64 = 0) {
        while let due = link.nextDueNs, due <= end {
            let now = due + lateness
            for arrival in link.arrivals(byNs: now) {
                let flow = arrival.flow.rawValue
                if case .bytes(let count) = arrival.kind { waiting[flow, default: 0] -= count }
                arrivals.append(
                    Arrival(ms: Double(now) / 1_000_000, flow: flow, kind: arrival.kind))
            }
        }
    }

    /// How many bytes of a flow have arrived.
    func byteCount(of flow: Int64 = 1) -> Int {
        arrivals.filter { $0.flow == flow }.reduce(0) { sum, arrival in
            if case .bytes(let count) = arrival.kind { sum + count } else { sum }
        }
    }

    /// When a flow's byte of a number, from 1, arrived.
    func ms(ofByte number: Int, of flow: Int64 = 1) -> Double? {
        var sum = 0
        for arrival in arrivals where arrival.flow == flow {
            guard case .bytes(let count) = arrival.kind else { continue }
            sum += count
            if sum >= number { return arrival.ms }
        }
        return nil
    }
}
