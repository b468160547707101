internal import ProxydCivilTime
internal import ProxydSystem
internal import Glibc

/// The service manager that started this process, if any. Sends sd_notify's datagrams directly,
/// because linking libsystemd for one `send` would add a dependency.
final class ServiceManager: Sendable {
    /// The longest interval between `watchdog` notifications, in nanoseconds; nil for no watchdog.
    let watchdogIntervalNs: Int64?
    private let descriptor: Int32

    /// Connects to the socket in `NOTIFY_SOCKET`; nil if there is none, so that every notification
    /// can be written as `manager?.notify(…)`.
    init?(environment: [String: String], processID: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"],
            let descriptor = Self.connectedSocket(to: path)
        else { return nil }
        self.descriptor = descriptor
        watchdogIntervalNs = Self.watchdogIntervalNs(environment, processID: processID)
    }

    deinit { close(descriptor) }

    /// Sends the states in one datagram. It is not an error if the manager is not listening.
    func notify(_ states: ServiceState...) {
        let text = states.map(\.assignments).joined(separator: "\n")
        _ = text.utf8CString.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count - 1, Int32(MSG_NOSIGNAL))
        }
    }

    /// Sends `reloading` with the current time. `ready` must follow when the reload is complete.
    func notifyReloading() {
        notify(.reloading(monotonicUsec: UInt64(SystemClock.monotonicNow() / 1_000)))
    }

    private static func connectedSocket(to path: String) -> Int32? {
        guard path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        // A leading @ represents the NUL of an abstract name, which has no terminator.
        let isAbstract = path.hasPrefix("@")
        let name = isAbstract ? [0] + path.utf8.dropFirst() : Array(path.utf8) + [0]
        var address = sockaddr_un()
        guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let byteCount = socklen_t(MemoryLayout<sa_family_t>.size + name.count)

        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return nil }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, byteCount)
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func watchdogIntervalNs(
        _ environment: [String: String], processID: Int32
    ) -> Int64? {
        if let owner = environment["WATCHDOG_PID"], owner != String(processID) { return nil }
        guard let usec = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), usec > 0 else {
            return nil
        }
        return Nanoseconds.of(microseconds: usec)
    }
}

/// A notification to the service manager (sd_notify(3)).
enum ServiceState: Sendable, Equatable {
    /// The start or a reload is complete.
    case ready
    /// A reload starts. The time is CLOCK_MONOTONIC in microseconds, as `notify-reload` requires.
    case reloading(monotonicUsec: UInt64)
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

/// A listening socket that the service manager has opened (sd_listen_fds(3)).
struct InheritedSocket: Sendable, Equatable {
    /// Owned by this process from now on; close-on-exec.
    let descriptor: Int32
    /// `FileDescriptorName=` of the socket unit, or `unknown` if no name was passed.
    let name: String

    private static let firstDescriptor: Int32 = 3
    /// More than a unit would list; a larger count is a mistake, and then no socket is used.
    private static let countMax: Int32 = 64

    /// The sockets passed to this process, in the order of the socket unit.
    ///
    /// Descriptors that are not listening stream sockets are skipped. A child process must not use
    /// them as its own: the caller removes `variables` from the environment before it starts any.
    static func all(
        environment: [String: String], processID: Int32 = getpid(),
        from first: Int32 = firstDescriptor
    ) -> [InheritedSocket] {
        guard environment["LISTEN_PID"] == String(processID),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...countMax).contains(count)
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "")
            .split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return (0..<count).compactMap { index in
            let descriptor = first + index
            guard isListening(descriptor) else { return nil }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let position = Int(index)
            let name = names.indices.contains(position) ? names[position] : ""
            return InheritedSocket(descriptor: descriptor, name: name.isEmpty ? "unknown" : name)
        }
    }

    /// The environment variables that announce the sockets.
    static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    private static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &byteCount) == 0,
            value == 1
        else { return false }
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &value, &byteCount) == 0 else {
            return false
        }
        return value == Int32(SOCK_STREAM.rawValue)
    }
}
