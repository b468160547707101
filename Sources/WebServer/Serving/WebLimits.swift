/// The limits of a server.
public struct WebLimits: Sendable, Hashable {
    /// The maximum size of a request body in bytes; larger ones are answered 413. Only requests
    /// with the token, below a protected path, may have a body.
    public var bodyByteCountMax = 16 << 20
    /// The maximum number of connections. For a further one, the oldest that has not shown the
    /// token is closed; if all have, the new one is.
    public var connectionCountMax = 256
    /// The maximum number of open event streams; further ones are answered 429.
    public var feedCountMax = 32
    /// The number of threads that run handlers.
    public var workerCount = 4
    /// The maximum number of requests that wait for a thread; further ones are answered 429.
    public var waitingRequestCountMax = 64
    /// The maximum time for receiving a head, and for a client that has not shown the token to
    /// begin one, in nanoseconds.
    public var headNsMax: Int64 = 10_000_000_000
    /// The maximum time for receiving a body, and between requests, in nanoseconds.
    public var requestNsMax: Int64 = 60_000_000_000
    /// The maximum time in which a client reads nothing of a body sent in pieces, in nanoseconds.
    public var stallNsMax: Int64 = 30_000_000_000
    /// The time between two comments that keep an event stream open, in nanoseconds.
    public var keepAliveNs: Int64 = 15_000_000_000

    /// Creates the limits that are used unless a caller has others.
    public init() {}
}
