internal import Dispatch
internal import Synchronization

/// Finds out which local program opened a connection, away from the threads that serve it.
///
/// Look-ups run one after another on a thread of their own; how many may wait is bounded.
public final class ProcessAttributor: Sendable {
    private let worker: Worker
    private let queue = DispatchQueue(label: "proxyd.process-attribution", qos: .utility)
    private let waitingCount = Atomic<Int>(0)
    private let waitingCountMax: Int

    /// An attributor.
    /// - Parameter waitingCountMax: look-ups that may wait; more are answered nil immediately.
    public init(waitingCountMax: Int = 1_024) {
        self.waitingCountMax = waitingCountMax
        worker = Worker()
    }

    /// Looks for the program at the other end of a connection that reached us.
    /// - Parameters:
    ///   - client: the client's address, our peer.
    ///   - local: our own address on the connection.
    ///   - completion: called once, on the attributor's thread, or immediately on the caller's if
    ///     too many wait. nil where the client is not on this machine, is already gone, or belongs
    ///     to someone whose processes we may not look at.
    public func lookUp(
        client: TCPEndpoint,
        local: TCPEndpoint,
        completion: @escaping @Sendable (LocalProcess?) -> Void
    ) {
        guard waitingCount.add(1, ordering: .relaxed).newValue <= waitingCountMax else {
            waitingCount.subtract(1, ordering: .relaxed)
            return completion(nil)
        }
        queue.async { [self] in
            let found = worker.process(client: client, local: local)
            waitingCount.subtract(1, ordering: .relaxed)
            completion(found)
        }
    }

    /// The state that only the queue's thread touches.
    ///
    /// Proof for `@unchecked Sendable`: `process` is called nowhere but in blocks on the
    /// attributor's serial queue, which never runs two of them at the same time.
    private final class Worker: @unchecked Sendable {
        private let diagnosis = SocketDiagnosis()
        private var search = SocketOwnerSearch()

        func process(client: TCPEndpoint, local: TCPEndpoint) -> LocalProcess? {
            // The client's socket has the ends the other way round.
            guard let socket = diagnosis?.socket(local: client, remote: local) else { return nil }
            return search.owner(ofInode: socket.inode, uid: socket.uid)
        }
    }
}
