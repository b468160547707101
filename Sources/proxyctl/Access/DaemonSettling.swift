internal import Capture
internal import Glibc
internal import ProxydControl

/// Waits until a running daemon has recorded what is under way, so that a command that follows a
/// program's end sees all that the program did.
enum DaemonSettling {
    /// How long exchanges may take to end: some, such as event streams, never do.
    private static let exchangePatience = Duration.seconds(1)
    /// How long the recorder may take to store what has ended.
    private static let queuePatience = Duration.seconds(5)
    /// The time between two checks in microseconds.
    private static let stepUs: UInt32 = 10_000

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
