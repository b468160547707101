internal import ProxydCaptureModel
internal import ProxydSystem

/// Ends the reads of a closure that takes too long.
enum TimeLimit {
    private static let stackByteCount = 256 << 10

    /// Runs a closure; cancels its reads after a time in nanoseconds.
    static func run<Value>(
        _ nanoseconds: Int64, _ cancellation: ReadCancellation, _ body: () throws -> Value
    ) rethrows -> Value {
        let isDone = Semaphore()
        // Without a thread there is no limit, which is better than no answer.
        _ = startDetachedThread(stackByteCount: stackByteCount) {
            if !isDone.wait(forNs: nanoseconds) { cancellation.cancel() }
        }
        defer { isDone.signal() }
        return try body()
    }
}
