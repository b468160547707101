public import ProxydHTTPModel

/// Sends requests with the client library. Each is recorded as a new exchange that refers to the
/// one it replays, which is not changed.
public protocol ExchangeReplaying: Sendable {
    /// Sends a composed request. Host and framing are generated, and every other field line is sent
    /// unchanged. Returns the number of the new exchange once it is in the store, even if no
    /// response was received. Throws an error message for the user if nothing could be sent.
    /// - Parameters:
    ///   - original: The exchange it is based on, or nil for a new request.
    ///   - isCancelled: Called repeatedly while waiting.
    func send(
        _ request: Request, repeating original: ExchangeID?, by route: ReplayRoute,
        isCancelled: () -> Bool
    ) throws -> ExchangeID

    /// Sends captured requests again as ordered. Returns when everything is in the store.
    /// - Parameters:
    ///   - isCancelled: Called repeatedly while waiting; once it returns true, no more requests are
    ///     sent and pending ones are aborted.
    ///   - onResult: Called with each outcome as a request ends, one at a time.
    func replay(
        _ order: ReplayOrder, isCancelled: () -> Bool,
        onResult: @escaping @Sendable (ReplayOutcome) -> Void
    ) throws
}

/// Which exchanges to send again, how often and how fast.
public struct ReplayOrder: Sendable, Hashable {
    /// The exchanges, in sending order.
    public var ids: [ExchangeID]
    public var roundCount: Int
    public var concurrency: Int
    /// The minimum time between the starts of two requests in milliseconds.
    public var delayMs: Int
    /// Whether the captured bytes are sent unchanged; otherwise Host and framing are generated.
    public var isExact: Bool
    public var route: ReplayRoute

    public init(
        ids: [ExchangeID], roundCount: Int = 1, concurrency: Int = 1, delayMs: Int = 0,
        isExact: Bool = true, route: ReplayRoute = ReplayRoute()
    ) {
        self.ids = ids
        self.roundCount = roundCount
        self.concurrency = concurrency
        self.delayMs = delayMs
        self.isExact = isExact
        self.route = route
    }
}

/// The outcome of one request that was sent again.
public struct ReplayOutcome: Sendable, Hashable {
    /// Whether the response body equals the original's, with content codings removed.
    public enum Likeness: Sendable, Hashable {
        case same, different
        case unknown
    }

    public var originalID: ExchangeID
    /// The new exchange, or nil if nothing could be sent.
    public var id: ExchangeID?
    /// The status, or nil if no response was received.
    public var status: Int?
    public var isStatusSame: Bool
    /// The size of the response body in bytes, with content codings applied.
    public var bodyByteCount: Int64
    public var body: Likeness
    /// The duration in nanoseconds, or nil if the request did not end.
    public var durationNs: Int64?
    /// Why the request failed, or nil if it did not.
    public var problem: String?
    /// The problem and, on its own line, how to send the request nevertheless; nil without advice.
    public var advice: String?

    public init(
        originalID: ExchangeID, id: ExchangeID?, status: Int?, isStatusSame: Bool,
        bodyByteCount: Int64, body: Likeness, durationNs: Int64?, problem: String? = nil,
        advice: String? = nil
    ) {
        self.originalID = originalID
        self.id = id
        self.status = status
        self.isStatusSame = isStatusSame
        self.bodyByteCount = bodyByteCount
        self.body = body
        self.durationNs = durationNs
        self.problem = problem
        self.advice = advice
    }
}

/// How requests reach their servers; by default on the route that the daemon would take.
public struct ReplayRoute: Sendable, Hashable {
    public enum Version: Int, Sendable, Hashable {
        /// The recorded version; for a new request, a version that the server accepts.
        case recorded
        case http11
        /// HTTP/2, without TLS by prior knowledge.
        case http2
    }

    /// Whether certificates must be valid, except for hosts that the daemon does not verify.
    public var isVerified: Bool
    /// Whether the running daemon makes the connections, and records the requests, too.
    public var isThroughDaemon: Bool
    /// Addresses to use without resolving names, as `HOST:PORT:ADDRESS` separated by spaces.
    public var resolutions: String
    public var version: Version

    public init(
        isVerified: Bool = true, isThroughDaemon: Bool = false, resolutions: String = "",
        version: Version = .recorded
    ) {
        self.isVerified = isVerified
        self.isThroughDaemon = isThroughDaemon
        self.resolutions = resolutions
        self.version = version
    }
}
