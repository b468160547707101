public import Dispatch
internal import Synchronization

/// Reports when this machine gains or loses a route to the network. Keep a reference to it while
/// you listen.
///
/// It reads the kernel's routing tables four times a second.
public final class NetworkReachabilityManager: Sendable {
    /// Alamofire's name for the reachability.
    public typealias NetworkReachabilityStatus = NetworkReachability

    private let path: any NetworkPath
    private let interval: Duration
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// Creates a manager for this machine. It takes no host: only a request can tell whether a host
    /// answers.
    public convenience init() { self.init(path: SystemNetworkPath()) }

    /// Creates a manager that reads `path` at an interval.
    public init(path: any NetworkPath, interval: Duration = .milliseconds(250)) {
        self.path = path
        self.interval = interval
    }

    deinit { stopListening() }

    /// The current state.
    public var status: NetworkReachabilityStatus { path.reachability }
    /// Whether there is a route to the network now.
    public var isReachable: Bool { status == .reachable }

    /// Calls `listener` on `queue` with the current status and after each change. Replaces an
    /// earlier listener.
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

    /// Stops calling the listener.
    public func stopListening() { replace(with: nil) }

    private func replace(with task: Task<Void, Never>?) {
        let before = listening.withLock { listening in
            defer { listening = task }
            return listening
        }
        before?.cancel()
    }
}
