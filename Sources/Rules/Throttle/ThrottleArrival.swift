/// What has come through a line and its pipe.
public struct ThrottleArrival: Sendable, Hashable {
    /// What it is.
    public enum Kind: Sendable, Hashable {
        /// So many bytes go on now, one at least.
        case bytes(Int)
        /// The connection fails: it is reset, and nothing of it comes any more.
        case failure
        /// The connection is cut after as many bytes as the profile lets by, and nothing of it
        /// comes any more.
        case cut
    }

    /// Whose it is.
    public let flow: ThrottleFlow
    /// What it is.
    public let kind: Kind
}
