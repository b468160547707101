internal import Foundation

/// Counts what there is to do; a thread sleeps until there is some.
final class Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() { semaphore.signal() }
    func wait() { semaphore.wait() }
    /// Waits so many seconds at most.
    func wait(seconds: Int) { _ = semaphore.wait(timeout: .now() + .seconds(seconds)) }
}
