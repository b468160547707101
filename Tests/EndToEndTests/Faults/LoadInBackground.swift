import Foundation

/// Traffic on a thread of its own while a test does something else.
final class LoadInBackground: @unchecked Sendable {
    // Proof: `report` is touched under the lock only, and everything else does not change.
    private let lock = NSCondition()
    private var report: Result<Row, any Error>?

    /// Runs something that ends with a report.
    init(_ work: @escaping () throws -> Row) {
        nonisolated(unsafe) let work = work
        let thread = Thread { [self] in
            let report = Result { try work() }
            lock.withLock {
                self.report = report
                lock.broadcast()
            }
        }
        thread.start()
    }

    /// Sends the requests of some numbers with load_client.py.
    convenience init(_ rig: LoadRig, _ numbers: Range<Int>, _ proxy: Daemon) {
        self.init { try rig.send(numbers, through: proxy, ["--connections", "8"]) }
    }

    var isRunning: Bool { lock.withLock { report == nil } }

    /// What was reported at the end.
    func result() throws -> Row {
        lock.lock()
        defer { lock.unlock() }
        while report == nil { lock.wait() }
        guard let report else { throw Tool.Failure(description: "the load has no result") }
        return try report.get()
    }
}
