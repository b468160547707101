public import ProxydHTTPModel

/// Values of the streams of a connection, in the order of the streams' numbers. Numbers rise, so
/// that adding one is appending; looking one up takes no hash.
public struct StreamMap<Value> {
    /// A map that becomes empty keeps the memory of so few values.
    @usableFromInline static var keptCapacityMax: Int { 16 }

    @usableFromInline var ids: [StreamID] = []
    @usableFromInline var all: [Value] = []

    /// An empty map.
    public init() {}

    /// How many there are.
    @inlinable public var count: Int { all.count }
    /// Whether there is none.
    @inlinable public var isEmpty: Bool { all.isEmpty }
    /// All values, that of the lowest number first.
    @inlinable public var values: [Value] { all }

    /// The value of a stream; nil where there is none.
    @inlinable
    public subscript(id: StreamID) -> Value? {
        let place = place(of: id)
        return place < ids.count && ids[place] == id ? all[place] : nil
    }

    /// Adds the value of a stream, instead of the one that it had.
    @inlinable
    public mutating func add(_ value: Value, for id: StreamID) {
        let place = place(of: id)
        if place == ids.count {
            ids.append(id)
            all.append(value)
        } else if ids[place] == id {
            all[place] = value
        } else {
            ids.insert(id, at: place)
            all.insert(value, at: place)
        }
    }

    /// Removes a stream's value; nil where there was none.
    @inlinable
    @discardableResult
    public mutating func remove(_ id: StreamID) -> Value? {
        let place = place(of: id)
        guard place < ids.count, ids[place] == id else { return nil }
        ids.remove(at: place)
        let value = all.remove(at: place)
        if ids.isEmpty, ids.capacity > Self.keptCapacityMax { removeAll() }
        return value
    }

    /// Removes all.
    @inlinable
    public mutating func removeAll() {
        ids = []
        all = []
    }

    /// Where a number is, or would be.
    @inlinable
    func place(of id: StreamID) -> Int {
        guard let last = ids.last, id <= last else { return ids.count }
        var low = 0
        var high = ids.count &- 1
        while low < high {
            let middle = (low &+ high) / 2
            if ids[middle] < id { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
