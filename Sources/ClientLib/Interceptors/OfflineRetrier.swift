/// Sends requests again that failed because this machine was offline, once it is not any more.
///
/// Asked about a failed look-up or connection only, and only while there is no way to the network;
/// it then waits for one.
public struct OfflineRetrier: RequestInterceptor {
    /// The longest wait for a way to the network.
    public var maximumWait: Duration
    /// The pause between two looks at it.
    public var interval: Duration = .milliseconds(250)
    private let path: any NetworkPath
    private let clock: any Clock<Duration>

    /// Waits five seconds at most, unless told otherwise.
    public init(
        maximumWait: Duration = .seconds(5), path: any NetworkPath = SystemNetworkPath(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.maximumWait = maximumWait
        self.path = path
        self.clock = clock
    }

    /// Whether a request is sent again; waits for the network before it says so.
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
    /// Waits for the network where this machine is offline, five seconds at most.
    public static var offlineRetrier: OfflineRetrier { OfflineRetrier() }
}
