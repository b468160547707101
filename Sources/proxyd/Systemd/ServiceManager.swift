internal import Glibc
internal import ProxydCivilTime
internal import ProxydSystem

/// The service manager that started this process, if any. Sends sd_notify's datagrams directly,
/// because linking libsystemd for one `send` would add a dependency.
final class ServiceManager: Sendable {
    /// The longest interval between `watchdog` notifications in nanoseconds; nil if there is no
    /// watchdog.
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

    deinit {
        close(descriptor)
    }

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
        _ environment: [String: String],
        processID: Int32
    ) -> Int64? {
        if let owner = environment["WATCHDOG_PID"], owner != String(processID) { return nil }
        guard let usec = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), usec > 0 else {
            return nil
        }
        return Nanoseconds.of(microseconds: usec)
    }
}
