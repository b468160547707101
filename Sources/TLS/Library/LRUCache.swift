/// A dictionary that keeps the `countMax` most recently used entries.
///
/// Eviction examines every entry: with a thousand of them that costs less than the signature whose
/// result is being inserted.
struct LRUCache<Key: Hashable, Value> {
    private struct Entry {
        var value: Value
        var lastUse: UInt64
    }

    private let countMax: Int
    private var entries: [Key: Entry] = [:]
    private var useCount: UInt64 = 0

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// How many entries there are.
    var count: Int { entries.count }

    /// The value of `key`; marks it as recently used.
    mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        useCount &+= 1
        entries.values[index].lastUse = useCount
        return entries.values[index].value
    }

    /// Sets the value of `key`; evicts the least recently used entry if there are too many.
    mutating func insert(_ value: Value, for key: Key) {
        useCount &+= 1
        entries[key] = Entry(value: value, lastUse: useCount)
        guard entries.count > countMax,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        entries[oldest.key] = nil
    }
}
