/// Retries requests that failed because this machine was offline, once it is online again.
///
/// It handles only failed lookups and connections, and only while there is no network route; it
/// then waits for one.
public struct OfflineRetrier: RequestInterceptor {
    /// The longest time to wait for a network route.
    public var maximumWait: Duration
    /// The time between two checks of the network.
    public var interval: Duration = .milliseconds(250)
    private let path: any NetworkPath
    private let clock: any Clock<Duration>

    /// Creates a retrier; by default it waits at most five seconds.
    public init(
        maximumWait: Duration = .seconds(5), path: any NetworkPath = SystemNetworkPath(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.maximumWait = maximumWait
        self.path = path
        self.clock = clock
    }

    /// Whether a request is retried; waits for the network before it returns.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        switch error.kind {
        case .network(.nameResolution), .network(.connectFailed): break
        default: return .doNotRetry
        }
        guard path.reachability == .notReachable else { return .doNotRetry }
        var waited = Duration.zero
        let pause = max(interval, .milliseconds(1))
        while waited < maximumWait, !request.isCancelled {
            guard (try? await clock.sleep(for: pause)) != nil else { return .doNotRetry }
            waited += pause
            if path.reachability == .reachable { return .retry }
        }
        return .doNotRetry
    }
}

extension RequestInterceptor where Self == OfflineRetrier {
    /// Waits up to five seconds for the network if this machine is offline.
    public static var offlineRetrier: OfflineRetrier { OfflineRetrier() }
}
