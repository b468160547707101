internal import Synchronization

/// Collects values across threads, in their order.
public final class Collector<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    /// Empty.
    public init() {}

    /// Adds a value.
    public func add(_ element: Element) { elements.withLock { $0.append(element) } }
    /// The values so far.
    public var all: [Element] { elements.withLock { $0 } }
    /// How many there are so far.
    public var count: Int { elements.withLock { $0.count } }
}

/// Counts calls from any thread.
public final class CallCounter: Sendable {
    private let calls = Mutex(0)

    /// Starts at 0.
    public init() {}

    /// How many calls there were.
    public var count: Int { calls.withLock { $0 } }

    /// Notes a call, and returns its number, from 1.
    @discardableResult
    public func add() -> Int {
        calls.withLock { calls in
            calls += 1
            return calls
        }
    }
}
