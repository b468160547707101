import Foundation

/// Does something again and again on a thread of its own, until it is stopped.
final class RepeatedChange: @unchecked Sendable {
    // Proof: the lock guards what changes; the thread ends before `stop` returns.
    private let lock = NSLock()
    private var isStopped = false
    private var failure: (any Error)?
    private let ended = DispatchSemaphore(value: 0)

    /// Begins; `change` is told how often it was done before. It has been done once on return.
    init(_ change: @escaping @Sendable (Int) throws -> Void) throws {
        try change(0)
        Thread.detachNewThread { [self] in
            var round = 1
            while goesOn {
                do {
                    try change(round)
                } catch {
                    lock.withLock { failure = error }
                    break
                }
                round += 1
            }
            ended.signal()
        }
    }

    private var goesOn: Bool { lock.withLock { !isStopped } }

    /// Ends it.
    /// - Throws: what went wrong on the way.
    func stop() throws {
        lock.withLock { isStopped = true }
        ended.wait()
        if let failure { throw failure }
    }
}
