internal import Capture
internal import ProxydControl
internal import ProxydSystem
internal import Synchronization

/// Keeps the daemon from forwarding requests to the page's own server: a client of the proxy would
/// otherwise reach it from where it cannot connect itself. Tells each daemon that starts.
final class AddressGuard: Sendable {
    private static let stackByteCount = 1 << 20
    /// The time between two attempts to find a daemon, in nanoseconds.
    private static let retryNs: Int64 = 500_000_000

    private let directory: DataDirectory
    private let ip: String
    private let port: UInt16
    private let isStopped = Mutex(false)
    private let pause = Semaphore()

    init(_ directory: DataDirectory, ip: String, port: UInt16) {
        self.directory = directory
        self.ip = ip
        self.port = port
    }

    /// Tells the running daemon, and starts the thread that tells those that start later.
    func start() {
        let isTold = Semaphore()
        let isStarted = startDetachedThread(stackByteCount: AddressGuard.stackByteCount) {
            self.run { isTold.signal() }
        }
        if isStarted { isTold.wait() }
    }

    /// - Parameter onFirst: Called after the first attempt.
    private func run(onFirst: () -> Void) {
        var client = connect()
        onFirst()
        while !isStopped.withLock({ $0 }) {
            if let client {
                wait(while: client)
            } else {
                _ = pause.wait(forNs: AddressGuard.retryNs)
            }
            client = connect()
        }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        pause.signal()
    }

    /// A connection on which the address was announced, or nil if no daemon runs.
    private func connect() -> ControlClient? {
        do throws(ControlError) {
            let client = try ControlClient(dataDirectory: directory.path)
            try client.guardAddress(ip: ip, port: port)
            return client
        } catch {
            return nil
        }
    }

    /// Returns when the daemon has ended.
    private func wait(while client: ControlClient) {
        while !isStopped.withLock({ $0 }) {
            do throws(ControlError) {
                _ = try client.nextEvent(timeoutNs: AddressGuard.retryNs)
            } catch {
                return
            }
        }
    }
}
