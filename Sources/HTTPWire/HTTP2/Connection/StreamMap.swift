public import ProxydHTTPModel

/// A map from a connection's streams to values, ordered by stream number. Because the numbers
/// increase, adding means appending, and a lookup needs no hashing.
public struct StreamMap<Value> {
    /// A map that becomes empty keeps memory for at most this many values.
    @usableFromInline static var keptCapacityMax: Int { 16 }

    @usableFromInline var ids: [StreamID] = []
    @usableFromInline var all: [Value] = []

    /// Creates an empty map.
    public init() {}

    /// The number of values.
    @inlinable public var count: Int { all.count }
    /// Whether there are no values.
    @inlinable public var isEmpty: Bool { all.isEmpty }
    /// All values, in ascending order of stream number.
    @inlinable public var values: [Value] { all }

    /// Returns the value of a stream, or nil if there is none.
    @inlinable
    public subscript(id: StreamID) -> Value? {
        let place = place(of: id)
        return place < ids.count && ids[place] == id ? all[place] : nil
    }

    /// Sets the value of a stream, replacing any previous one.
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

    /// Removes a stream's value and returns it, or nil if there was none.
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

    /// Removes all values.
    @inlinable
    public mutating func removeAll() {
        ids = []
        all = []
    }

    /// The index where a number is, or where it would be inserted.
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
