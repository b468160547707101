/// Whether there is a way from this machine to others.
public enum NetworkReachability: Sendable, Hashable {
    /// No one knows.
    case unknown
    /// There is none: this machine is offline.
    case notReachable
    /// There is one; whether a certain server can be reached over it is not said.
    case reachable
}

/// Says whether there is a way to the network. A seam: tests put their own in its place.
public protocol NetworkPath: Sendable {
    /// How it is now.
    var reachability: NetworkReachability { get }
}
