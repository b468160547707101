internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS

/// Makes connections, and where descriptors ran out, room for them first: what only waits to be
/// used again goes before what is wanted now. First this loop's, then, after a moment, the others'.
final class EvictingConnector: Connecting {
    /// How long other loops get to close what they do not use; 50 ms.
    private static let patienceNs: Int64 = 50_000_000
    private static let retryCountMax = 4

    private let loop: EventLoop
    private let connector: any Connecting
    /// Closes what is not in use on this loop; says whether there was any.
    var makeRoom: () -> Bool = { false }
    /// Asks the other loops to close what they do not use.
    var askOthers: () -> Void = {}

    init(_ connector: any Connecting, loop: EventLoop) {
        self.connector = connector
        self.loop = loop
    }

    /// The attempt under way, whichever it is, or the pause before the next.
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

    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {
        connector.reconfigure(limits, clientContext: clientContext)
    }
}
