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
