import Foundation

/// Planned traffic on a thread of its own while a test does something else.
final class LoadInBackground: @unchecked Sendable {
    // Proof: `report` is touched under the lock only, and everything else does not change.
    private let lock = NSCondition()
    private var report: Result<Row, any Error>?

    /// Sends the requests of some numbers with load_client.py.
    init(_ rig: LoadRig, _ numbers: Range<Int>, _ proxy: Daemon) {
        nonisolated(unsafe) let rig = rig
        let thread = Thread { [self] in
            let report = Result { try rig.send(numbers, through: proxy, ["--connections", "8"]) }
            lock.withLock {
                self.report = report
                lock.broadcast()
            }
        }
        thread.start()
    }

    var isRunning: Bool { lock.withLock { report == nil } }

    /// What the client reported at its end.
    func result() throws -> Row {
        lock.lock()
        defer { lock.unlock() }
        while report == nil { lock.wait() }
        guard let report else { throw Tool.Failure(description: "the load has no result") }
        return try report.get()
    }
}
