internal import ProxydEventLoops

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
