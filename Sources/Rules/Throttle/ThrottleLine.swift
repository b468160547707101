/// A line with a rate, and a pipe with a latency behind it: one direction of a slow network, shared
/// by all flows that are put on it.
///
/// ```
/// waiting bytes ─turns─▶ line: start = max(now, free), free = start + bytes / rate
///                          └─▶ pipe: arrives = free + latency (+ a stall) ─▶ arrivals
/// ```
/// Nothing is saved up while the line is idle, so there is no burst: with a bucket that starts full
/// most responses would pass at full speed. The moments are computed and not measured: a timer that
/// is late makes nothing else late, and rates do not drift. Flows take turns by pieces of 10 ms.
///
/// Whoever uses it says how many bytes wait (`waits`), sets a timer to `nextDueNs`, and lets go
/// what `arrivals` tells. Here is no clock: moments are nanoseconds of the caller's.
public struct ThrottleLine: Sendable {
    /// A piece takes about this long on the line.
    private static let piecesPerSecond = 100
    private static let pieceByteCounts = 256...16_384
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// Bytes of one flow.
    private struct State {
        /// The place among the line's flows in the order in which they came.
        let ordinal: Int
        let end: ThrottleFaults.End?
        var isOver = false
        /// Bytes that have not had their turn.
        var waitingByteCount = 0
        /// Bytes that are on the line or in the pipe.
        var travellingByteCount = 0
        /// Bytes that have had their turn, ever.
        var sentByteCount: Int64 = 0
        var pieceCount = 0
        /// Nothing overtakes what stalls.
        var lastDueNs = Int64.min
    }

    private let bytesPerSecond: Int?
    private let latencyNs: Int64
    private let pieceByteCount: Int
    private let faults: ThrottleFaults
    private var states: [ThrottleFlow: State] = [:]
    /// The flows that have bytes waiting, in the order of their turns, but for that which has its
    /// turn now: those that come meanwhile are before it.
    private var turns: [ThrottleFlow] = []
    private var flowOnLine: ThrottleFlow?
    private var pipe = ThrottlePipe()
    /// When the line has sent all that was put on it, and what that is short of the true moment, in
    /// parts of a nanosecond: as many as bytes go each second.
    private var freeNs = Int64.min
    private var freeRest: Int64 = 0

    /// A line that is idle.
    /// - Parameters:
    ///   - profile: What the network is like.
    ///   - direction: Which way its bytes go.
    ///   - seed: What stalls and failures are drawn from: the profile's, or else a random one.
    ///   - pieceByteCount: How many bytes go at once at most; nil for what 10 ms let by, from 256
    ///     bytes to 16 KiB.
    public init(
        _ profile: ThrottleProfile, _ direction: ThrottleDirection, seed: UInt64,
        pieceByteCount: Int? = nil
    ) {
        self.init(
            bytesPerSecond: profile.bytesPerSecond(direction), latencyNs: profile.oneWayNs,
            // Both directions of one seed go wrong in ways of their own.
            faults: ThrottleFaults(profile, seed: direction == .down ? seed : ~seed),
            pieceByteCount: pieceByteCount)
    }

    init(bytesPerSecond: Int?, latencyNs: Int64, faults: ThrottleFaults, pieceByteCount: Int?) {
        self.bytesPerSecond = bytesPerSecond
        self.latencyNs = latencyNs
        self.faults = faults
        let bounds = ThrottleLine.pieceByteCounts
        let usual = bytesPerSecond.map { $0 / ThrottleLine.piecesPerSecond } ?? bounds.upperBound
        self.pieceByteCount =
            pieceByteCount.map { min(max($0, 1), 1 << 30) }
            ?? min(max(usual, bounds.lowerBound), bounds.upperBound)
    }

    /// When there is something next, in nanoseconds; nil where nothing comes without more bytes.
    public var nextDueNs: Int64? {
        let travelling = pipe.nextDueNs
        guard bytesPerSecond != 0, let flow = turns.first ?? flowOnLine, let state = states[flow],
            state.waitingByteCount > 0
        else { return travelling }
        let due = freeNs + duration(of: nextByteCount(of: state)).whole + latencyNs(of: flow)
        return min(travelling ?? due, due)
    }

    /// Says how many bytes of a flow wait in all, those included that were told of before and have
    /// not arrived.
    public mutating func waits(_ byteCount: Int, of flow: ThrottleFlow, atNs nowNs: Int64) {
        run(until: nowNs)
        var state = states[flow] ?? newState(of: flow)
        let isNew = state.waitingByteCount == 0
        let waiting = byteCount - state.travellingByteCount
        if !state.isOver, waiting > state.waitingByteCount {
            state.waitingByteCount = waiting
            if turns.isEmpty, freeNs < nowNs {
                freeNs = nowNs
                freeRest = 0
            }
            if isNew, flow != flowOnLine { turns.append(flow) }
        }
        states[flow] = state
        run(until: nowNs)
    }

    /// Says how many more bytes of a flow have come.
    public mutating func add(_ byteCount: Int, of flow: ThrottleFlow, atNs nowNs: Int64) {
        let state = states[flow]
        let before = (state?.waitingByteCount ?? 0) + (state?.travellingByteCount ?? 0)
        waits(before + byteCount, of: flow, atNs: nowNs)
    }

    /// What has arrived by now, in order; bytes of one flow are told together.
    public mutating func arrivals(byNs nowNs: Int64) -> [ThrottleArrival] {
        run(until: nowNs)
        var arrivals: [ThrottleArrival] = []
        /// For each flow where its bytes are.
        var places: [ThrottleFlow: Int] = [:]
        while let piece = pipe.next(by: nowNs) {
            var kind = piece.kind
            if case .bytes(let count) = kind {
                states[piece.flow]?.travellingByteCount -= count
                if let place = places[piece.flow], case .bytes(let before) = arrivals[place].kind {
                    kind = .bytes(before + count)
                    arrivals[place] = ThrottleArrival(flow: piece.flow, kind: kind)
                    continue
                }
                places[piece.flow] = arrivals.count
            }
            arrivals.append(ThrottleArrival(flow: piece.flow, kind: kind))
        }
        return arrivals
    }

    /// Forgets a flow that is over. What of it is on the line has taken its time, and does not
    /// arrive.
    public mutating func remove(_ flow: ThrottleFlow) {
        guard states.removeValue(forKey: flow) != nil else { return }
        turns.removeAll { $0 == flow }
        if flowOnLine == flow { flowOnLine = nil }
        pipe.removeAll(of: flow)
    }

    /// Whether it has no flows: then nothing is lost when it is let go, but the time that the last
    /// bytes take.
    public var isIdle: Bool { states.isEmpty }

    /// What chance makes of a flow depends on its number alone.
    private func newState(of flow: ThrottleFlow) -> State {
        let ordinal = Int(truncatingIfNeeded: flow.rawValue)
        return State(ordinal: ordinal, end: faults.end(of: ordinal))
    }

    /// Gives flows their turns as long as the line is free by a moment.
    private mutating func run(until nowNs: Int64) {
        guard bytesPerSecond != 0 else { return }
        while freeNs <= nowNs {
            if let last = flowOnLine, states[last]?.waitingByteCount ?? 0 > 0 { turns.append(last) }
            flowOnLine = turns.first
            guard let flow = turns.first, var state = states[flow] else { return }
            turns.removeFirst()
            send(of: flow, &state)
            states[flow] = state
        }
    }

    /// Puts a flow's next piece on the line, or its early end.
    private mutating func send(of flow: ThrottleFlow, _ state: inout State) {
        let count = nextByteCount(of: state)
        guard count > 0 else {
            let due = max(freeNs + latencyNs(of: flow), state.lastDueNs)
            pipe.insert(.init(flow: flow, kind: state.end?.kind ?? .failure, dueNs: due))
            state.isOver = true
            state.waitingByteCount = 0
            return
        }
        let time = duration(of: count)
        freeNs += time.whole
        freeRest = time.rest
        let stall = faults.stalls(state.pieceCount, of: state.ordinal) ? faults.stallNs : 0
        state.lastDueNs = max(freeNs + latencyNs(of: flow) + stall, state.lastDueNs)
        state.waitingByteCount -= count
        state.travellingByteCount += count
        state.sentByteCount += Int64(count)
        state.pieceCount += 1
        pipe.insert(.init(flow: flow, kind: .bytes(count), dueNs: state.lastDueNs))
    }

    private func latencyNs(of flow: ThrottleFlow) -> Int64 { flow.goesThroughPipe ? latencyNs : 0 }

    /// How many bytes a flow's next piece has; none where it ends early.
    private func nextByteCount(of state: State) -> Int {
        let count = min(state.waitingByteCount, pieceByteCount)
        guard let end = state.end else { return count }
        return Int(min(Int64(count), max(0, end.byteCount - state.sentByteCount)))
    }

    /// How long bytes take on the line, in whole nanoseconds and what is left over.
    private func duration(of byteCount: Int) -> (whole: Int64, rest: Int64) {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return (0, 0) }
        let parts = Int64(byteCount) * ThrottleLine.nanosecondsPerSecond + freeRest
        let (whole, rest) = parts.quotientAndRemainder(dividingBy: Int64(bytesPerSecond))
        return (whole, rest)
    }
}
