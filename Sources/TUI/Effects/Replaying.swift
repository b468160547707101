public import ProxydHTTPModel

/// Sends requests, by the client library. Each is recorded as an exchange of its own, linked to
/// the one it repeats, which stays as it is.
public protocol Replaying: Sendable {
    /// Sends a request that somebody composed. Host and framing are made anew, every other field
    /// line goes as it is. Returns the number of the new exchange, which is in the store then,
    /// also where no response came. Throws what a person is told where nothing could be sent.
    /// - Parameters:
    ///   - original: The exchange it was made of; nil for a request of its own.
    ///   - route: How it gets to its server.
    ///   - isCancelled: Asked while waiting.
    func send(
        _ request: Request, repeating original: ExchangeID?, by route: ReplayRoute,
        isCancelled: () -> Bool
    ) throws -> ExchangeID

    /// Sends captured requests again as an order says. Returns when everything is in the store.
    /// - Parameters:
    ///   - isCancelled: Asked while waiting; nothing more is sent then, and what is on its way is
    ///     given up.
    ///   - onResult: Told of each one as it ends, one at a time.
    func replay(
        _ order: ReplayOrder, isCancelled: () -> Bool,
        onResult: @escaping @Sendable (ReplayOutcome) -> Void
    ) throws
}

/// Which exchanges are sent again, how often and how fast.
public struct ReplayOrder: Sendable, Hashable {
    /// The exchanges, in this order.
    public var ids: [ExchangeID]
    /// How often each is sent.
    public var roundCount: Int
    /// Requests on their way at the same time.
    public var concurrency: Int
    /// Between the beginnings of two requests at least, milliseconds.
    public var delayMs: Int
    /// Whether the octets are those of then, every one; else Host and framing are made anew.
    public var isExact: Bool
    /// How they get to their servers.
    public var route: ReplayRoute

    /// Each exchange once, one after the other, octet for octet.
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

/// What came of one request that was sent again.
public struct ReplayOutcome: Sendable, Hashable {
    /// Whether its response's body is the original's, content codings undone.
    public enum Likeness: Sendable, Hashable {
        case same, different
        /// Nobody can say.
        case unknown
    }

    /// The exchange it repeats.
    public var originalID: ExchangeID
    /// The new exchange; nil where nothing could be sent.
    public var id: ExchangeID?
    /// The status; nil where no response came.
    public var status: Int?
    /// Whether the status is the original's.
    public var isStatusSame: Bool
    /// Octets of the response's body, content codings kept.
    public var bodyByteCount: Int64
    /// How its body compares.
    public var body: Likeness
    /// How long it took, nanoseconds; nil where it did not end.
    public var durationNs: Int64?
    /// Why it failed; nil where it did not.
    public var problem: String?
    /// The problem and, on a line of its own, what somebody who wants it all the same can do; nil
    /// where there is no more to say.
    public var advice: String?

    /// An outcome.
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
