public import ProxydHTTPModel

/// Sends failed requests again, with pauses that grow.
public struct RetryPolicy: RequestInterceptor {
    /// Failures that are worth another try.
    public enum Failure: Sendable, Hashable, CaseIterable {
        /// The name could not be looked up.
        case nameResolution
        /// No connection could be made.
        case connection
        /// The TLS handshake failed.
        case tls
        /// The connection ended or broke before the response was complete.
        case connectionLost
        /// A time limit ran out, the total one excepted.
        case timedOut
        /// The server sent what is no HTTP, or what could not be decoded.
        case malformedResponse
    }

    /// How often a request is sent again.
    public var retryLimit = 2
    /// The pause before the n-th retry is `exponentialBackoffScale × base ^ n`; at least 2.
    public var exponentialBackoffBase = 2.0
    /// The factor, in seconds.
    public var exponentialBackoffScale = 0.5
    /// The longest pause.
    public var maximumDelay: Duration = .seconds(60)
    /// How much of each pause is left to chance, 0…1: many clients then do not come back at the
    /// same moment.
    public var jitter = 0.0
    /// Whether a server's Retry-After is obeyed, up to `maximumDelay`; a longer one ends the tries.
    public var honorsRetryAfter = true
    /// Methods whose requests may be sent again.
    public var retryableHTTPMethods: Set<HTTPMethod> = [
        .delete, .get, .head, .options, .put, .trace,
    ]
    /// Statuses that are worth another try, where validation made an error of them. 429 is not
    /// among them unless added.
    public var retryableHTTPStatusCodes: Set<Int> = [408, 500, 502, 503, 504]
    /// Failures that are worth another try.
    public var retryableFailures = Set(Failure.allCases)
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    /// Two retries, after a half and after one second.
    public init() {}

    /// A policy with another number of retries.
    public init(retryLimit: Int) { self.retryLimit = retryLimit }

    /// Whether, and after which pause, a request is sent again.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        guard request.retryCount < retryLimit, isWorthIt(request, error) else {
            return .doNotRetry
        }
        if honorsRetryAfter, let head = request.response, let wanted = RetryAfter(head) {
            let delay = wanted.delay()
            return delay > maximumDelay ? .doNotRetry : .retryWithDelay(delay)
        }
        return .retryWithDelay(delay(beforeRetry: request.retryCount))
    }

    /// The pause before a retry; `count` retries came before it.
    func delay(beforeRetry count: Int) -> Duration {
        var seconds = exponentialBackoffScale
        for _ in 0..<min(count, 64) { seconds *= max(2, exponentialBackoffBase) }
        seconds *= 1 - min(1, max(0, jitter)) * random()
        return min(maximumDelay, .clamping(seconds: seconds))
    }

    private func isWorthIt(_ request: any ClientRequest, _ error: ClientError) -> Bool {
        // A redirect may have made a GET of it, but what is sent again is what was sent first.
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
    /// Two retries, after a half and after one second.
    public static var retryPolicy: RetryPolicy { RetryPolicy() }
    /// So many retries, with pauses that grow.
    public static func retryPolicy(retryLimit: Int) -> RetryPolicy {
        RetryPolicy(retryLimit: retryLimit)
    }
    /// Retries where a connection was lost, whatever the status.
    public static var connectionLostRetryPolicy: RetryPolicy { .connectionLost() }
}

extension RetryPolicy {
    /// Retries where a connection was lost, and for nothing else.
    public static func connectionLost(retryLimit: Int = 2) -> RetryPolicy {
        var policy = RetryPolicy(retryLimit: retryLimit)
        policy.retryableFailures = [.connectionLost]
        policy.retryableHTTPStatusCodes = []
        return policy
    }
}
