/// What a service tells its manager (sd_notify(3)).
enum ServiceState: Sendable, Equatable {
    /// Start-up or a reload is finished.
    case ready
    /// A reload begins. The time is CLOCK_MONOTONIC in microseconds, as `notify-reload` wants it.
    case reloading(monotonicUsec: UInt64)
    /// The service goes down.
    case stopping
    /// One line for `systemctl status`.
    case status(String)
    /// The service is alive; to be sent within each watchdog interval.
    case watchdog

    /// The assignments of a notification, one a line.
    var assignments: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let usec): "RELOADING=1\nMONOTONIC_USEC=\(usec)"
        case .stopping: "STOPPING=1"
        // A line feed would start an assignment of its own.
        case .status(let text): "STATUS=" + text.filter { !$0.isNewline }
        case .watchdog: "WATCHDOG=1"
        }
    }
}
