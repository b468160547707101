/// An element of an ``IndexedSet``, which stores its own index.
public protocol Placed: AnyObject {
    /// The element's index in the set; -1 if it is in none. Maintained by the set.
    var place: Int { get set }
}

/// A collection whose elements know their index, so that any of them is removed in constant time.
public struct IndexedSet<Element: Placed> {
    @usableFromInline var elements: [Element] = []

    /// Creates an empty set.
    public init() {}

    /// The number of elements.
    @inlinable public var count: Int { elements.count }
    /// Whether the set is empty.
    @inlinable public var isEmpty: Bool { elements.isEmpty }
    /// The last element: the newest, as long as only last elements were removed; nil if the set is
    /// empty.
    @inlinable public var last: Element? { elements.last }
    /// All elements, in no particular order.
    @inlinable public var all: [Element] { elements }

    /// Adds an element, which must not be in any set.
    @inlinable
    public mutating func add(_ element: Element) {
        element.place = elements.count
        elements.append(element)
    }

    /// Removes an element, and moves the last one to its index; returns false if it was not in the
    /// set.
    @inlinable
    @discardableResult
    public mutating func remove(_ element: Element) -> Bool {
        let place = element.place
        guard place >= 0, place < elements.count, elements[place] === element else { return false }
        let last = elements.removeLast()
        if last !== element {
            elements[place] = last
            last.place = place
        }
        element.place = -1
        return true
    }
}
