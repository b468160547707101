public import ProxydHTTPModel

/// Retries failed requests with growing delays.
public struct RetryPolicy: RequestInterceptor {
    public enum Failure: Sendable, Hashable, CaseIterable {
        case nameResolution
        case connection
        case tls
        /// The connection was closed or failed before the response was complete.
        case connectionLost
        /// A time limit expired, except the total limit.
        case timedOut
        /// The server sent invalid HTTP, or a body that could not be decoded.
        case malformedResponse
    }

    public var retryLimit = 2
    /// The delay before retry n is `exponentialBackoffScale × base ^ n`; a base below
    /// 2 counts as 2.
    public var exponentialBackoffBase = 2.0
    /// The factor of the delay, in seconds.
    public var exponentialBackoffScale = 0.5
    public var maximumDelay: Duration = .seconds(60)
    /// The random fraction of each delay, 0…1, so that many clients do not retry at the same
    /// moment.
    public var jitter = 0.0
    /// Whether a server's Retry-After is obeyed, up to `maximumDelay`; a longer one ends the
    /// retries.
    public var honorsRetryAfter = true
    public var retryableHTTPMethods: Set<HTTPMethod> = [
        .delete, .get, .head, .options, .put, .trace,
    ]
    /// Statuses that are retried if validation made an error of them. 429 is not included by
    /// default.
    public var retryableHTTPStatusCodes: Set<Int> = [408, 500, 502, 503, 504]
    public var retryableFailures = Set(Failure.allCases)
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    public init() {}

    public init(retryLimit: Int) { self.retryLimit = retryLimit }

    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        guard request.retryCount < retryLimit, isWorthIt(request, error) else { return .doNotRetry }
        if honorsRetryAfter, let head = request.response, let wanted = RetryAfter(head) {
            let delay = wanted.delay()
            return delay > maximumDelay ? .doNotRetry : .retryWithDelay(delay)
        }
        return .retryWithDelay(delay(beforeRetry: request.retryCount))
    }

    /// The delay before a retry that follows `count` earlier ones.
    func delay(beforeRetry count: Int) -> Duration {
        var seconds = exponentialBackoffScale
        for _ in 0..<min(count, 64) { seconds *= max(2, exponentialBackoffBase) }
        seconds *= 1 - min(1, max(0, jitter)) * random()
        return min(maximumDelay, .clamping(seconds: seconds))
    }

    private func isWorthIt(_ request: any ClientRequest, _ error: ClientError) -> Bool {
        // A redirect may have changed the method to GET, but the retry sends the original request.
        guard let method = request.adaptedRequest?.method,
            retryableHTTPMethods.contains(method)
        else { return false }
        if case .responseValidationFailed = error.kind, let status = request.response?.status {
            return retryableHTTPStatusCodes.contains(status)
        }
        return Failure(error).map(retryableFailures.contains) ?? false
    }
}

extension RetryPolicy.Failure {
    fileprivate init?(_ error: ClientError) {
        switch error.kind {
        case .network(.nameResolution): self = .nameResolution
        case .network(.connectionRefused), .network(.connectFailed): self = .connection
        case .network(.tlsHandshake), .network(.certificate): self = .tls
        case .network(.closedEarly): self = .connectionLost
        case .network(.timedOut), .timedOut(.connect), .timedOut(.idle): self = .timedOut
        case .network(.malformedResponse), .decodingFailed: self = .malformedResponse
        default: return nil
        }
    }
}

extension RequestInterceptor where Self == RetryPolicy {
    /// Two retries, after half a second and after one second.
    public static var retryPolicy: RetryPolicy { RetryPolicy() }
    public static func retryPolicy(retryLimit: Int) -> RetryPolicy {
        RetryPolicy(retryLimit: retryLimit)
    }
    /// Retries if the connection was lost, whatever the status.
    public static var connectionLostRetryPolicy: RetryPolicy { .connectionLost() }
}

extension RetryPolicy {
    public static func connectionLost(retryLimit: Int = 2) -> RetryPolicy {
        var policy = RetryPolicy(retryLimit: retryLimit)
        policy.retryableFailures = [.connectionLost]
        policy.retryableHTTPStatusCodes = []
        return policy
    }
}

/// Retries requests whose connection was lost, with `RetryPolicy.connectionLost`.
public struct ConnectionLostRetryPolicy: RequestInterceptor {
    public var policy: RetryPolicy

    public init(retryLimit: Int = 2) { policy = .connectionLost(retryLimit: retryLimit) }

    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        await policy.retry(request, for: session, dueTo: error)
    }
}

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

    public init(
        maximumWait: Duration = .seconds(5), path: any NetworkPath = SystemNetworkPath(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.maximumWait = maximumWait
        self.path = path
        self.clock = clock
    }

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

/// The delay that a server requests (RFC 9110 §10.2.3).
public enum RetryAfter: Sendable, Hashable {
    /// A delay in seconds from the response on.
    case seconds(Int64)
    /// The earliest time for the next request.
    case date(HTTPDate)

    /// Parses digits, clamped to 64 bits, or a date; nil for anything else.
    public init?(_ value: String, now: HTTPDate = .now) {
        if !value.isEmpty, value.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            self = .seconds(Int64(value) ?? .max)
        } else if let date = HTTPDate(value, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The delay in a response, or nil if there is none that can be parsed.
    public init?(_ head: ResponseHead, now: HTTPDate = .now) {
        guard let value = head.fields["Retry-After"] else { return nil }
        self.init(value, now: now)
    }

    /// The delay from `now` on; zero for the past.
    public func delay(from now: HTTPDate = .now) -> Duration {
        switch self {
        case .seconds(let seconds): return .seconds(seconds)
        case .date(let date):
            let (difference, overflow) = date.secondsSinceEpoch.subtractingReportingOverflow(
                now.secondsSinceEpoch)
            return .seconds(overflow ? 0 : max(0, difference))
        }
    }
}
