/// How requests get to their servers: on the way that the daemon would take, unless told otherwise.
public struct ReplayRoute: Sendable, Hashable {
    /// The version of HTTP that is spoken.
    public enum Version: Int, Sendable, Hashable {
        /// The one that was recorded; for a new request, one that the server takes.
        case recorded
        case http11
        /// HTTP/2, without TLS by prior knowledge.
        case http2
    }

    /// Whether certificates must be good, but for those of the daemon's unverified hosts.
    public var isVerified: Bool
    /// Whether the running daemon connects, which records the requests, too.
    public var isThroughDaemon: Bool
    /// Where to connect without looking names up: `HOST:PORT:ADDRESS`, apart by spaces.
    public var resolutions: String
    /// Which version of HTTP they speak.
    public var version: Version

    /// Directly and verified, unless told otherwise.
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
