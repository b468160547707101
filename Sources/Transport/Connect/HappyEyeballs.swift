internal import ProxydEventLoops

/// Decides when to try which address (RFC 8305 §4 and §5): IPv6 first, families alternating, a new
/// attempt whenever one fails or 250 ms after the last one; the first connection wins. It performs
/// no I/O.
///
/// ```
///   waiting ──start──▶ racing ──succeeded──▶ done (win)
///                        └── all failed ───▶ done (lose)
/// ```
struct HappyEyeballs {
    /// What the caller must do, in order.
    enum Action: Equatable {
        /// Start to connect to this address.
        case attempt(SocketAddress)
        /// Call `timerFired()` after `attemptDelayNs`; replaces an earlier timer.
        case armTimer
        case disarmTimer
        /// Use this address's connection and cancel the other attempts.
        case win(SocketAddress)
        /// No address can be reached; with the most informative error.
        case lose(StreamError)
    }

    private enum State {
        case waiting
        case racing(running: Int)
        case done
    }

    /// The "Connection Attempt Delay" of RFC 8305 §5.
    static let attemptDelayNs: Int64 = 250_000_000

    private var state = State.waiting
    private var untried: ArraySlice<SocketAddress>
    private var worst: StreamError?

    /// Creates a race between addresses, given in the resolver's order.
    init(addresses: [SocketAddress]) { untried = HappyEyeballs.ordered(addresses)[...] }

    /// IPv6 first, then families alternating; within a family, in the resolver's order.
    static func ordered(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let first = addresses.filter { $0.family == .ipv6 }
        let second = addresses.filter { $0.family != .ipv6 }
        let paired = zip(first, second).flatMap { [$0, $1] }
        let count = min(first.count, second.count)
        return paired + first.dropFirst(count) + second.dropFirst(count)
    }

    mutating func start() -> [Action] {
        guard case .waiting = state else { return [] }
        state = .racing(running: 0)
        return next()
    }

    /// The delay after the last attempt has passed.
    mutating func timerFired() -> [Action] {
        guard case .racing = state, !untried.isEmpty else { return [] }
        return next()
    }

    mutating func failed(_ error: StreamError) -> [Action] {
        guard case .racing(let running) = state else { return [] }
        state = .racing(running: running - 1)
        if HappyEyeballs.saysMore(error, than: worst) { worst = error }
        return untried.isEmpty && running > 1 ? [] : next()
    }

    mutating func succeeded(_ address: SocketAddress) -> [Action] {
        guard case .racing = state else { return [] }
        state = .done
        return [.disarmTimer, .win(address)]
    }

    private mutating func next() -> [Action] {
        guard case .racing(let running) = state else { return [] }
        guard let address = untried.popFirst() else {
            state = .done
            let error =
                worst ?? StreamError(kind: .unreachable, message: "no address to connect to")
            return [.disarmTimer, .lose(error)]
        }
        state = .racing(running: running + 1)
        return [.attempt(address), untried.isEmpty ? .disarmTimer : .armTimer]
    }

    /// A refusal by a server is more informative than an unreachable network, which is what a
    /// machine without IPv6 reports for every IPv6 address.
    private static func saysMore(_ error: StreamError, than other: StreamError?) -> Bool {
        guard let other else { return true }
        return rank(error) >= rank(other)
    }

    private static func rank(_ error: StreamError) -> Int {
        switch error.kind {
        case .refused: 4
        case .reset: 3
        case .timedOut: 2
        case .unreachable, .addressInUse: 0
        case .exhausted, .notPermitted, .security, .other: 1
        }
    }
}

/// Carries out the decisions of `HappyEyeballs` with sockets and a timer. Loop-confined; retained
/// until it ends or is cancelled.
final class ConnectRace {
    private let loop: EventLoop
    private var machine: HappyEyeballs
    private var attempts: [SocketAddress: ConnectAttempt] = [:]
    private var timer: Timer?
    private let onAttempt: ((ConnectAttempt, SocketAddress) -> Void)?
    private var completion: ((Result<SocketStream, StreamError>) -> Void)?
    /// An established connection, until the state machine has decided what to do with it.
    private var winner: SocketStream?

    /// Starts to connect to the addresses. `completion` is called once, never from within this call
    /// unless there is no address at all, and not after `cancel()`.
    /// - Parameter onAttempt: called for each attempt that was started, with its address.
    init(
        to addresses: [SocketAddress], on loop: EventLoop,
        onAttempt: ((ConnectAttempt, SocketAddress) -> Void)? = nil,
        completion: @escaping (Result<SocketStream, StreamError>) -> Void
    ) {
        self.loop = loop
        self.onAttempt = onAttempt
        self.completion = completion
        machine = HappyEyeballs(addresses: addresses)
        run(machine.start())
    }

    /// Stops all attempts; the completion is not called.
    func cancel() { _ = end() }

    private func run(_ actions: [HappyEyeballs.Action]) {
        for action in actions {
            switch action {
            case .attempt(let address): attempt(address)
            case .armTimer: armTimer()
            case .disarmTimer: timer?.suspend()
            case .win: if let winner { end()?(.success(winner)) }
            case .lose(let error): end()?(.failure(error))
            }
        }
    }

    private func attempt(_ address: SocketAddress) {
        let attempt = ConnectAttempt(to: address, on: loop) { [self] outcome in
            attempts[address] = nil
            switch outcome {
            case .success(let stream):
                winner = stream
                run(machine.succeeded(address))
            case .failure(let error): run(machine.failed(error))
            }
        }
        attempts[address] = attempt
        onAttempt?(attempt, address)
    }

    private func armTimer() {
        let armed =
            timer
            ?? loop.makeTimer { [weak self] in
                guard let self else { return }
                run(machine.timerFired())
            }
        timer = armed
        armed.restart(afterNs: HappyEyeballs.attemptDelayNs)
    }

    private func end() -> ((Result<SocketStream, StreamError>) -> Void)? {
        defer {
            completion = nil
            winner = nil
        }
        timer?.cancel()
        timer = nil
        for attempt in attempts.values { attempt.cancel() }
        attempts = [:]
        return completion
    }
}
