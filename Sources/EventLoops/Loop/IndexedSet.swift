/// What may stand in a `IndexedSet`, which keeps its place.
public protocol Placed: AnyObject {
    /// Its place in the list; -1 where it is in none.
    var place: Int { get set }
}

/// A list whose members know their places, so that each leaves it in one step, in whatever order.
public struct IndexedSet<Element: Placed> {
    @usableFromInline var elements: [Element] = []

    /// An empty list.
    public init() {}

    /// How many there are.
    @inlinable public var count: Int { elements.count }
    /// Whether there is none.
    @inlinable public var isEmpty: Bool { elements.isEmpty }
    /// One of them: the newest, as long as none was removed before its turn; nil where there is
    /// none.
    @inlinable public var last: Element? { elements.last }
    /// All of them, in an order of no meaning.
    @inlinable public var all: [Element] { elements }

    /// Takes one in that is in no list.
    @inlinable
    public mutating func add(_ element: Element) {
        element.place = elements.count
        elements.append(element)
    }

    /// Lets one go, and puts the last one in its place; false where it was not in the list.
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
