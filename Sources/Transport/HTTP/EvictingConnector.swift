internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS

/// Makes connections. If file descriptors have run out, closes idle connections and tries again:
/// first those of this loop; if it has none, asks the other loops and waits for a short time.
final class EvictingConnector: Connecting {
    /// How long other loops get to close idle connections; 50 ms.
    private static let patienceNs: Int64 = 50_000_000
    private static let retryCountMax = 4

    private let loop: EventLoop
    private let connector: any Connecting
    /// Closes idle connections on this loop; returns whether there were any.
    var makeRoom: () -> Bool = { false }
    /// Asks the other loops to close idle connections.
    var askOthers: () -> Void = {}

    init(_ connector: any Connecting, loop: EventLoop) {
        self.connector = connector
        self.loop = loop
    }

    /// The current connection attempt, or the pause before the next one.
    private final class Attempt: Cancellable {
        var current: (any Cancellable)?
        var pause: Timer?

        func cancel() {
            pause?.cancel()
            current?.cancel()
        }
    }

    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let attempt = Attempt()
        start(
            attempt, retries: EvictingConnector.retryCountMax, to: target,
            deadlineNs: deadlineNs, completion: completion)
        return attempt
    }

    private func start(
        _ attempt: Attempt, retries: Int, to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) {
        attempt.current = connector.connect(to: target, deadlineNs: deadlineNs) { [self] result in
            guard case .failure(let failure) = result, failure.kind == .overloaded, retries > 0
            else { return completion(result) }
            let again = { [self] in
                start(
                    attempt, retries: retries - 1, to: target, deadlineNs: deadlineNs,
                    completion: completion)
            }
            if makeRoom() { return again() }
            askOthers()
            attempt.pause = loop.schedule(afterNs: EvictingConnector.patienceNs, again)
        }
    }

    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        connector.secure(
            established, for: target, deadlineNs: deadlineNs, completion: completion)
    }

    func refusal(of target: ConnectTarget) -> ExchangeFailure? { connector.refusal(of: target) }

    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {
        connector.reconfigure(limits, clientContext: clientContext)
    }
}
