import Dispatch
import Foundation
import Synchronization

/// Waits for what other programs and threads do.
public enum Eventually {
    /// What did not come in time.
    public struct Failure: Error, CustomStringConvertible {
        /// What it was, and how things stood.
        public let description: String
    }

    /// Far more than what works ever needs, in seconds.
    private static let patience = 120.0
    private static let pauseUs: UInt32 = 10_000

    /// Looks every 10 ms until there is a value; throws `failure` after two minutes without one.
    public static func value<Value>(
        orFail failure: @autoclosure () throws -> String, look: () throws -> Value?
    ) throws -> Value {
        let deadline = Date(timeIntervalSinceNow: patience)
        while true {
            if let value = try look() { return value }
            guard Date() < deadline else { throw Failure(description: try failure()) }
            usleep(pauseUs)
        }
    }

    /// Looks every 10 ms until the condition holds; throws `failure` after two minutes.
    public static func isTrue(
        orFail failure: @autoclosure () throws -> String, _ condition: () throws -> Bool
    ) throws {
        try value(orFail: try failure()) { try condition() ? () : nil }
    }
}

/// Holds threads and tasks up until it is opened; it then stays open.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// Closed.
    public init() {}

    /// Holds the thread up.
    public func waitOnThread() {
        semaphore.wait()
        semaphore.signal()
    }

    /// Holds the task up.
    public func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Opens it.
    public func open() {
        semaphore.signal()
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
