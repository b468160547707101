/// What has passed a line and its pipe.
public struct ThrottleArrival: Sendable, Hashable {
    /// The kind of an arrival.
    public enum Kind: Sendable, Hashable {
        /// This many bytes may go on now, at least one.
        case bytes(Int)
        /// The connection fails: it is reset, and nothing more arrives.
        case failure
        /// The connection is cut after the number of bytes that the profile allows, and nothing
        /// more arrives.
        case cut
    }

    /// The flow that it belongs to.
    public let flow: ThrottleFlow
    /// The kind of the arrival.
    public let kind: Kind
}
