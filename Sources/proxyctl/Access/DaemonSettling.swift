internal import Capture
internal import Glibc
internal import ProxydControl

/// Waits for what a running daemon has not stored yet: until it has committed what has ended, or,
/// for a command that follows a program's end, has recorded what is under way.
enum DaemonSettling {
    /// How long exchanges may take to end: some, such as event streams, never do.
    private static let exchangePatience = Duration.seconds(1)
    /// How long the recorder may take to store what has ended.
    private static let queuePatience = Duration.seconds(5)
    /// How long a command waits for the daemon's commit before it reads, in nanoseconds.
    private static let commitPatienceNs: Int64 = 50_000_000
    /// The time between two checks in microseconds.
    private static let stepUs: UInt32 = 10_000

    /// Lets a running daemon commit what has ended, so that a command that reads the store sees
    /// everything that was requested before it. Returns soon in any case: a daemon may be busy, or
    /// too old to know the command, and the store can be read all the same.
    static func commitEnded(_ directory: DataDirectory) {
        let client = try? ControlClient(
            dataDirectory: directory.path, timeoutNs: commitPatienceNs)
        try? client?.commit()
    }

    /// Returns when everything is stored, or time is up; immediately if no daemon is running.
    /// - Returns: The daemon's status then; nil if no daemon is running.
    @discardableResult
    static func wait(for directory: DataDirectory) throws -> DaemonStatus? {
        guard let client = try StoreWriter.daemon(directory) else { return nil }
        let start = ContinuousClock.now
        while true {
            let status = try DaemonAccess.attempt { () throws(ControlError) in
                try client.status()
            }
            let elapsed = ContinuousClock.now - start
            let mayEnd = status.activeExchangeCount > 0 && elapsed < exchangePatience
            let mayBeStored = status.queuedByteCount > 0 && elapsed < queuePatience
            guard mayEnd || mayBeStored else { return status }
            usleep(stepUs)
        }
    }
}
