internal import HTTPModel
internal import TLS

/// Makes connections, and where descriptors ran out, room for them first: what only waits to be
/// used again goes before what is wanted now.
final class RoomMakingConnector: Connecting {
    private let connector: any Connecting
    /// Closes what is not in use; says whether there was any.
    var makeRoom: () -> Bool = { false }

    init(_ connector: any Connecting) { self.connector = connector }

    /// The attempt under way, first or second.
    private final class Attempt: Cancellable {
        var current: (any Cancellable)?

        func cancel() { current?.cancel() }
    }

    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let attempt = Attempt()
        attempt.current = connector.connect(to: target, deadlineNs: deadlineNs) { [self] result in
            guard case .failure(let failure) = result, failure.kind == .overloaded, makeRoom()
            else { return completion(result) }
            attempt.current = connector.connect(
                to: target, deadlineNs: deadlineNs, completion: completion)
        }
        return attempt
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
