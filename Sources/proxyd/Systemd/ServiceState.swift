/// A notification to the service manager (sd_notify(3)).
enum ServiceState: Sendable, Equatable {
    /// The start or a reload is complete.
    case ready
    /// A reload starts. The time is CLOCK_MONOTONIC in microseconds, as `notify-reload` requires.
    case reloading(monotonicUsec: UInt64)
    /// The service is stopping.
    case stopping
    /// One line for `systemctl status`.
    case status(String)
    /// The service is alive; must be sent within each watchdog interval.
    case watchdog

    /// The assignments of a notification, one per line.
    var assignments: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let usec): "RELOADING=1\nMONOTONIC_USEC=\(usec)"
        case .stopping: "STOPPING=1"
        // A line feed would start another assignment.
        case .status(let text): "STATUS=" + text.filter { !$0.isNewline }
        case .watchdog: "WATCHDOG=1"
        }
    }
}
