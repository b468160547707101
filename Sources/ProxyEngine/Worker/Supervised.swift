/// Something with a deadline that a loop watches: one client connection, in whatever layer it is.
protocol Supervised: AnyObject {
    /// When `deadlinePassed` shall be called, on the monotonic clock; `Int64.max` for never.
    var deadline: Int64 { get }
    /// Since when it only waits for a next request, on the monotonic clock, and may be closed first
    /// when resources are short; nil while it does not.
    var idleSince: Int64? { get }
    /// Its place in the registry, kept by it.
    var registryIndex: Int { get set }
    /// The deadline has passed.
    func deadlinePassed(now: Int64)
    /// The proxy is stopping: finish what runs and begin nothing new.
    func drain()
    /// Close at once.
    func terminate(_ reason: TerminationReason)
}

/// Why the engine closes a connection.
enum TerminationReason {
    /// The proxy stops and the time to drain is over.
    case shutdown
    /// Descriptors or connections ran out.
    case overload
}
