/// How requests get to their servers: on the way that the daemon would take, unless told otherwise.
public struct ReplayRoute: Sendable, Hashable {
    /// Whether certificates must be good, but for those of the daemon's unverified hosts.
    public var isVerified: Bool
    /// Whether the running daemon connects, which records the requests, too.
    public var isThroughDaemon: Bool
    /// Where to connect without looking names up: `HOST:PORT:ADDRESS`, apart by spaces.
    public var resolutions: String

    /// Directly and verified, unless told otherwise.
    public init(
        isVerified: Bool = true, isThroughDaemon: Bool = false, resolutions: String = ""
    ) {
        self.isVerified = isVerified
        self.isThroughDaemon = isThroughDaemon
        self.resolutions = resolutions
    }
}
