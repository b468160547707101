internal import Synchronization

/// The calls to one host and port over all loops: the number that run, and a first-come,
/// first-served queue of those that wait.
final class PerHostLimiter: Sendable {
    private struct State {
        var runningCount = 0
        var runningCountMax: Int
        /// The calls that wait, by the numbers that they drew.
        private var waiting: [UInt64: NetworkCall] = [:]
        private var numbers: [ObjectIdentifier: UInt64] = [:]
        private var firstNumber: UInt64 = 0
        private var nextNumber: UInt64 = 0

        init(runningCountMax: Int) { self.runningCountMax = runningCountMax }

        var isEmpty: Bool { waiting.isEmpty }

        mutating func append(_ call: NetworkCall) {
            waiting[nextNumber] = call
            numbers[ObjectIdentifier(call)] = nextNumber
            nextNumber += 1
        }

        mutating func remove(_ call: NetworkCall) {
            guard let number = numbers.removeValue(forKey: ObjectIdentifier(call)) else { return }
            waiting[number] = nil
        }

        /// The next waiting call that has not ended, or nil if there is none.
        mutating func takeNext() -> NetworkCall? {
            while firstNumber < nextNumber {
                let next = waiting.removeValue(forKey: firstNumber)
                firstNumber += 1
                guard let next else { continue }
                numbers[ObjectIdentifier(next)] = nil
                if !next.isOver { return next }
            }
            return nil
        }
    }

    private let state: Mutex<State>

    init(runningCountMax: Int) { state = Mutex(State(runningCountMax: runningCountMax)) }

    /// Whether no call runs or waits.
    var isIdle: Bool { state.withLock { $0.runningCount == 0 && $0.isEmpty } }

    /// Whether a call may run now; otherwise it is queued.
    func admit(_ call: NetworkCall) -> Bool {
        state.withLock { state in
            guard state.runningCount < state.runningCountMax else {
                state.append(call)
                return false
            }
            state.runningCount += 1
            return true
        }
    }

    /// A call that was queued has ended; what it occupies is released.
    func forget(_ call: NetworkCall) { state.withLock { $0.remove(call) } }

    /// A running call has ended. Returns the next call, of any loop, and counts it as running.
    func leave() -> NetworkCall? {
        state.withLock { state in
            let isWithin = state.runningCount <= state.runningCountMax
            if isWithin, let next = state.takeNext() { return next }
            state.runningCount -= 1
            return nil
        }
    }

    /// Changes the number of calls that may run concurrently. Returns those that may run now, and
    /// counts them as running.
    func setLimit(_ count: Int) -> [NetworkCall] {
        state.withLock { state in
            guard state.runningCountMax != count else { return [] }
            state.runningCountMax = count
            var admitted: [NetworkCall] = []
            while state.runningCount < count, let next = state.takeNext() {
                state.runningCount += 1
                admitted.append(next)
            }
            return admitted
        }
    }
}

/// The limiters of all hosts, shared by the loops of a transport.
final class PerHostLimiterTable: Sendable {
    struct Origin: Hashable, Sendable {
        let isSecure: Bool
        let port: UInt16
        let host: String
        /// Whether HTTP/2 may be used: its streams are counted separately from HTTP/1.1
        /// connections.
        let mayBeHTTP2: Bool
    }

    private struct Entry: Sendable {
        weak var turns: PerHostLimiter?
    }

    /// From this number on, the table is searched for dead entries.
    private static let entryCountMax = 512

    private let runningCountMax: Int
    private let entries = Mutex<[Origin: Entry]>([:])

    init(runningCountMax: Int) { self.runningCountMax = runningCountMax }

    /// The limiter of a host, shared by all current holders.
    func turns(of origin: Origin) -> PerHostLimiter {
        entries.withLock { entries in
            if let known = entries[origin]?.turns { return known }
            if entries.count >= PerHostLimiterTable.entryCountMax {
                entries = entries.filter { $0.value.turns != nil }
            }
            let made = PerHostLimiter(runningCountMax: runningCountMax)
            entries[origin] = Entry(turns: made)
            return made
        }
    }
}
