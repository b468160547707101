internal import Glibc
internal import Synchronization

/// Whether the process was asked to end (SIGINT, SIGTERM, SIGHUP), so that a command can clean up
/// first.
enum Interruption {
    private static let isRequested = Atomic(false)
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs a closure that calls its argument now and then to check whether to stop.
    static func watched<Value>(_ body: (() -> Bool) throws -> Value) rethrows -> Value {
        let before = signals.map { number in
            (
                number,
                signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
            )
        }
        defer { for (number, handler) in before { signal(number, handler) } }
        return try body { isRequested.load(ordering: .relaxed) }
    }
}
