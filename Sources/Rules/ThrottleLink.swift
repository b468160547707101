internal import ProxydCivilTime
internal import Glibc

/// A link with a rate, followed by a pipe with a latency: one direction of a slow network, shared
/// by all flows that use it.
///
/// ```
/// waiting bytes ─turns─▶ link: start = max(now, free), free = start + bytes / rate
///                          └─▶ pipe: arrives = free + latency (+ a stall) ─▶ arrivals
/// ```
/// An idle link accumulates no credit, so there are no bursts: with a token bucket that starts
/// full, most responses would pass at full speed. Times are computed, not measured: a late timer
/// delays nothing else, and rates do not drift. Flows take turns in pieces of 10 ms.
///
/// The caller reports how many bytes wait (`waits`), sets a timer to `nextDueNs`, and forwards what
/// `arrivals` returns. There is no clock here: times are nanoseconds of the caller's clock.
public struct ThrottleLink: Sendable {
    /// A piece takes about 1/100 of a second on the link.
    private static let piecesPerSecond = 100
    private static let pieceByteCounts = 256...16_384

    /// The bytes of one flow.
    private struct State {
        /// The number of the flow, which determines its faults.
        let ordinal: Int
        let end: ThrottleFaults.End?
        var isOver = false
        /// Bytes that have not had their turn.
        var waitingByteCount = 0
        /// Bytes that are on the link or in the pipe.
        var travellingByteCount = 0
        /// Bytes that have had their turn, in total.
        var sentByteCount: Int64 = 0
        var pieceCount = 0
        /// The time of the last arrival: later pieces cannot overtake one that stalls.
        var lastDueNs = Int64.min
    }

    private let bytesPerSecond: Int?
    private let latencyNs: Int64
    private let pieceByteCount: Int
    private let faults: ThrottleFaults
    private var states: [ThrottleFlow: State] = [:]
    /// The flows with waiting bytes, in the order of their turns, without the one whose turn it is:
    /// flows that arrive in the meantime come before it.
    private var turns: [ThrottleFlow] = []
    private var flowOnLink: ThrottleFlow?
    private var pipe = ThrottlePipe()
    /// When the link has sent all bytes put on it, and the remainder of that division, in units of
    /// 1 / `bytesPerSecond` of a nanosecond.
    private var freeNs = Int64.min
    private var freeRest: Int64 = 0

    /// - Parameters:
    ///   - seed: The seed for stalls and failures: the profile's, or a random one.
    ///   - pieceByteCount: The maximum size of a piece; nil for the bytes of 10 ms, from 256 bytes
    ///     to 16 KiB.
    public init(
        _ profile: ThrottleProfile, _ direction: ThrottleDirection, seed: UInt64,
        pieceByteCount: Int? = nil
    ) {
        self.init(
            bytesPerSecond: profile.bytesPerSecond(direction), latencyNs: profile.oneWayNs,
            // Both directions with the same seed have different faults.
            faults: ThrottleFaults(profile, seed: direction == .down ? seed : ~seed),
            pieceByteCount: pieceByteCount)
    }

    init(bytesPerSecond: Int?, latencyNs: Int64, faults: ThrottleFaults, pieceByteCount: Int?) {
        self.bytesPerSecond = bytesPerSecond
        self.latencyNs = latencyNs
        self.faults = faults
        let bounds = ThrottleLink.pieceByteCounts
        let usual = bytesPerSecond.map { $0 / ThrottleLink.piecesPerSecond } ?? bounds.upperBound
        self.pieceByteCount =
            pieceByteCount.map { min(max($0, 1), 1 << 30) }
            ?? min(max(usual, bounds.lowerBound), bounds.upperBound)
    }

    /// The time of the next arrival, in nanoseconds; nil if nothing arrives without more bytes.
    public var nextDueNs: Int64? {
        let travelling = pipe.nextDueNs
        guard bytesPerSecond != 0, let flow = turns.first ?? flowOnLink, let state = states[flow],
            state.waitingByteCount > 0
        else { return travelling }
        let due = freeNs + duration(of: nextByteCount(of: state)).whole + latencyNs(of: flow)
        return min(travelling ?? due, due)
    }

    /// Reports how many bytes of a flow wait in total, including those that were reported before
    /// and have not arrived.
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
            if isNew, flow != flowOnLink { turns.append(flow) }
        }
        states[flow] = state
        run(until: nowNs)
    }

    /// Reports how many more bytes of a flow wait.
    public mutating func add(_ byteCount: Int, of flow: ThrottleFlow, atNs nowNs: Int64) {
        let state = states[flow]
        let before = (state?.waitingByteCount ?? 0) + (state?.travellingByteCount ?? 0)
        waits(before + byteCount, of: flow, atNs: nowNs)
    }

    /// Returns what has arrived until now, in order; bytes of one flow are combined.
    public mutating func arrivals(byNs nowNs: Int64) -> [ThrottleArrival] {
        run(until: nowNs)
        var arrivals: [ThrottleArrival] = []
        /// The index in `arrivals` of the bytes of each flow.
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

    /// Removes a flow that has ended. Its bytes on the link used their time and do not arrive.
    public mutating func remove(_ flow: ThrottleFlow) {
        guard states.removeValue(forKey: flow) != nil else { return }
        turns.removeAll { $0 == flow }
        if flowOnLink == flow { flowOnLink = nil }
        pipe.removeAll(of: flow)
    }

    /// Whether it has no flows: discarding it then loses only the time of the last bytes.
    public var isIdle: Bool { states.isEmpty }

    /// The faults of a flow depend only on its number.
    private func newState(of flow: ThrottleFlow) -> State {
        let ordinal = Int(truncatingIfNeeded: flow.rawValue)
        return State(ordinal: ordinal, end: faults.end(of: ordinal))
    }

    /// Gives flows their turns as long as the link is free at the given time.
    private mutating func run(until nowNs: Int64) {
        guard bytesPerSecond != 0 else { return }
        while freeNs <= nowNs {
            if let last = flowOnLink, states[last]?.waitingByteCount ?? 0 > 0 { turns.append(last) }
            flowOnLink = turns.first
            guard let flow = turns.first, var state = states[flow] else { return }
            turns.removeFirst()
            send(of: flow, &state)
            states[flow] = state
        }
    }

    /// Puts a flow's next piece on the link, or its early end.
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

    /// The size of a flow's next piece; 0 if the flow ends early.
    private func nextByteCount(of state: State) -> Int {
        let count = min(state.waitingByteCount, pieceByteCount)
        guard let end = state.end else { return count }
        return Int(min(Int64(count), max(0, end.byteCount - state.sentByteCount)))
    }

    /// How long bytes take on the link, in whole nanoseconds and a remainder.
    private func duration(of byteCount: Int) -> (whole: Int64, rest: Int64) {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return (0, 0) }
        let parts = Nanoseconds.clamping(seconds: Int64(byteCount)) &+ freeRest
        let (whole, rest) = parts.quotientAndRemainder(dividingBy: Int64(bytesPerSecond))
        return (whole, rest)
    }
}

/// A participant of a link: the bytes of a connection or of an exchange, in one direction.
public struct ThrottleFlow: Sendable, Hashable {
    /// A number that is unique among the flows of a link.
    public let rawValue: Int64
    /// Whether its bytes go through the pipe. Those of an exchange do not: its head has already
    /// waited for the latency, and they follow the head.
    public let goesThroughPipe: Bool

    public init(rawValue: Int64, goesThroughPipe: Bool = true) {
        self.rawValue = rawValue
        self.goesThroughPipe = goesThroughPipe
    }
}

/// What has passed a link and its pipe.
public struct ThrottleArrival: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// This many bytes may go on now, at least one.
        case bytes(Int)
        /// The connection fails: it is reset, and nothing more arrives.
        case failure
        /// The connection is cut after the profile's number of bytes, and nothing more arrives.
        case cut
    }

    public let flow: ThrottleFlow
    public let kind: Kind
}

/// Pieces in transit, ordered by arrival: a heap, so that each operation is cheap with many pieces.
struct ThrottlePipe: Sendable {
    struct Piece: Sendable {
        let flow: ThrottleFlow
        let kind: ThrottleArrival.Kind
        let dueNs: Int64
        /// The insertion number: of pieces that arrive at the same time, the lower is first.
        fileprivate var number = 0

        init(flow: ThrottleFlow, kind: ThrottleArrival.Kind, dueNs: Int64) {
            self.flow = flow
            self.kind = kind
            self.dueNs = dueNs
        }

        fileprivate func isBefore(_ other: Piece) -> Bool {
            (dueNs, number) < (other.dueNs, other.number)
        }
    }

    private var heap: [Piece] = []
    private var count = 0

    /// When the first piece arrives; nil if none is in transit.
    var nextDueNs: Int64? { heap.first?.dueNs }

    mutating func insert(_ piece: Piece) {
        var piece = piece
        piece.number = count
        count += 1
        heap.append(piece)
        rise(from: heap.count - 1)
    }

    /// Removes and returns the first piece that has arrived by the given time.
    mutating func next(by nowNs: Int64) -> Piece? {
        guard let first = heap.first, first.dueNs <= nowNs else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first
    }

    mutating func removeAll(of flow: ThrottleFlow) {
        let rest = heap.filter { $0.flow != flow }
        guard rest.count < heap.count else { return }
        // A sorted array is a valid heap.
        heap = rest.sorted { $0.isBefore($1) }
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}

/// The faults of a link and when they occur: drawn from a seed, so that runs are repeatable.
struct ThrottleFaults: Sendable {
    /// Where a flow ends early.
    struct End: Sendable {
        /// How many bytes pass before the end.
        let byteCount: Int64
        let kind: ThrottleArrival.Kind
    }

    /// The number of bytes that `fail_per_10k` refers to.
    private static let failureByteCount = 10_240.0
    /// Higher than the number of any piece: a draw with it belongs to the flow as a whole.
    private static let flowNumber = UInt64.max

    private let stallChance: Double
    private let failureChance: Double
    private let cutAfter: Int64?
    private let seed: UInt64
    let stallNs: Int64

    /// - Parameter seed: The draws depend only on it and on the numbers of the flow and the piece.
    init(_ profile: ThrottleProfile, seed: UInt64) {
        stallChance = ThrottleFaults.chance(profile.stallPercent)
        failureChance = ThrottleFaults.chance(profile.failPer10k)
        cutAfter = profile.cutAfter.map { max(0, $0) }
        stallNs = profile.stallNs
        self.seed = seed
    }

    private static func chance(_ percent: Double) -> Double {
        let range = ThrottleProfile.percentRange
        // NaN fails the comparison, and means no chance.
        return percent > 0 ? min(percent, range.upperBound) / 100 : 0
    }

    /// Whether a piece stalls, by its number in the flow and the flow's number on the link.
    func stalls(_ piece: Int, of flow: Int) -> Bool {
        stallChance > 0 && draw(flow, UInt64(truncatingIfNeeded: piece)) < stallChance
    }

    /// Returns where a flow ends early, or nil if it does not.
    ///
    /// A piece of n bytes should fail with probability 1 − r^(n/10,240), where r is the probability
    /// that 10 KiB pass. Because failures are independent of earlier bytes, this draws the failing
    /// byte directly: the same one however the bytes are divided into pieces.
    func end(of flow: Int) -> End? {
        let cut = cutAfter.map { End(byteCount: $0, kind: .cut) }
        guard failureChance > 0 else { return cut }
        let pass = 1 - failureChance
        let survived = 1 - draw(flow, ThrottleFaults.flowNumber)
        let bytes = pass > 0 ? ThrottleFaults.failureByteCount * log(survived) / log(pass) : 0
        let failure = End(byteCount: Int64(min(bytes, 1e18)), kind: .failure)
        guard let cut, cut.byteCount <= failure.byteCount else { return failure }
        return cut
    }

    /// Returns a number from 0 to below 1, mixed by SplitMix64.
    private func draw(_ flow: Int, _ number: UInt64) -> Double {
        let mixed = ThrottleFaults.mixed(
            ThrottleFaults.mixed(seed &+ UInt64(truncatingIfNeeded: flow)) &+ number)
        return Double(mixed >> 11) / Double(1 << 53)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
