/// Whether this machine has a network route to other machines.
public enum NetworkReachability: Sendable, Hashable {
    /// The state could not be determined.
    case unknown
    /// There is no route: this machine is offline.
    case notReachable
    /// There is a route; this does not say whether a particular server can be reached.
    case reachable
}

/// Reports whether there is a route to the network. Tests replace it with their own implementation.
public protocol NetworkPath: Sendable {
    /// The current state.
    var reachability: NetworkReachability { get }
}
