public import Dispatch
internal import Synchronization

/// Tells when this machine gets a way to the network, or loses it. Keep it while you listen.
///
/// The kernel's route tables are looked at four times a second.
public final class NetworkReachabilityManager: Sendable {
    /// Whether there is a way to the network.
    public typealias NetworkReachabilityStatus = NetworkReachability

    private let path: any NetworkPath
    private let interval: Duration
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// A manager for this machine. No host is asked for: whether one answers is known only when a
    /// request was sent to it.
    public convenience init() { self.init(path: SystemNetworkPath()) }

    /// A manager that asks `path`.
    public init(path: any NetworkPath, interval: Duration = .milliseconds(250)) {
        self.path = path
        self.interval = interval
    }

    deinit { stopListening() }

    /// How it is now.
    public var status: NetworkReachabilityStatus { path.reachability }
    /// Whether there is a way to the network now.
    public var isReachable: Bool { status == .reachable }

    /// Calls `listener` on `queue` with the status now and each time it has changed, in place of a
    /// listener before.
    @discardableResult
    public func startListening(
        onQueue queue: DispatchQueue = .main,
        onUpdatePerforming listener: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) -> Bool {
        let task = Task { [path, interval] in
            var last: NetworkReachabilityStatus?
            while !Task.isCancelled {
                let status = path.reachability
                if status != last { queue.async { listener(status) } }
                last = status
                try? await Task.sleep(for: interval)
            }
        }
        replace(with: task)
        return true
    }

    /// Calls no one any more.
    public func stopListening() { replace(with: nil) }

    private func replace(with task: Task<Void, Never>?) {
        let before = listening.withLock { listening in
            defer { listening = task }
            return listening
        }
        before?.cancel()
    }
}
