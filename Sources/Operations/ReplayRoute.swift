/// How requests reach their servers; by default on the route that the daemon would take.
public struct ReplayRoute: Sendable, Hashable {
    /// The HTTP version to use.
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
    /// The HTTP version to use.
    public var version: Version

    /// Creates a route, by default direct and with verification.
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
