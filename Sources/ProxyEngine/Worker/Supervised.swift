/// Something whose deadline a loop watches: one client connection, in whatever layer it currently
/// is.
protocol Supervised: AnyObject {
    /// When `deadlinePassed` must be called, on the monotonic clock; `Int64.max` for never.
    var deadline: Int64 { get }
    /// Since when it has only been waiting for a next request, on the monotonic clock; such a
    /// connection may be closed when resources run short. Nil while it is not waiting.
    var idleSince: Int64? { get }
    /// Its index in the registry; maintained by the registry.
    var registryIndex: Int { get set }
    /// Called once the deadline has passed.
    func deadlinePassed(now: Int64)
    /// The proxy is stopping: finish what is running and start nothing new.
    func drain()
    /// Closes immediately.
    func terminate(_ reason: TerminationReason)
}

/// Why the engine closes a connection.
enum TerminationReason {
    /// The proxy is stopping and the drain timeout has ended.
    case shutdown
    /// File descriptors or connections ran out.
    case overload
}
