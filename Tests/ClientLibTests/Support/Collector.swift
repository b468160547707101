import Synchronization

/// Counts and collects across threads.
final class Collector<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    var all: [Element] { elements.withLock { $0 } }
    var count: Int { elements.withLock { $0.count } }
}
