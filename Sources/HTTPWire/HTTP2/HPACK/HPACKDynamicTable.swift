internal import ProxydHTTPModel

/// The dynamic table of one direction (RFC 7541 §2.3.2). It allocates no memory before its first
/// entry, and never much more than twice its size.
struct HPACKDynamicTable: Sendable {
    /// The maximum of `byteCount`.
    private(set) var byteCountMax: Int
    /// The total size of all entries (RFC 7541 §4.1).
    private(set) var byteCount = 0
    /// The number of entries ever added; wraps around.
    private(set) var addedCount: UInt32 = 0
    /// The lines of the entries, oldest first, preceded by those of evicted entries.
    private(set) var bytes: [UInt8] = []
    /// The entries, oldest first, preceded by some evicted ones.
    private var entries: [HPACKEntry] = []
    private var goneEntryCount = 0
    /// The position of the first byte in `bytes`.
    private var origin: UInt32 = 0

    /// Limits the table's size, because a position has 32 bits.
    private static let byteCountLimit = 1 << 30

    init(byteCountMax: Int) { self.byteCountMax = Self.limited(byteCountMax) }

    private static func limited(_ byteCountMax: Int) -> Int {
        min(max(0, byteCountMax), byteCountLimit)
    }

    /// The number of entries.
    var count: Int { entries.count &- goneEntryCount }

    /// The allocated memory in bytes.
    var allocatedByteCount: Int {
        bytes.capacity &+ entries.capacity &* MemoryLayout<HPACKEntry>.stride
    }

    /// Returns the entry at an age, where 0 is the newest one, and the start of its line.
    @inline(__always)
    func entry(ofAge age: Int) -> (entry: HPACKEntry, start: Int)? {
        guard age >= 0, age < count else { return nil }
        let entry = entries[entries.count &- 1 &- age]
        return (entry, Int(entry.position &- origin))
    }

    /// Sets the maximum size; entries that no longer fit are evicted and their memory is freed.
    mutating func setByteCountMax(_ wanted: Int) {
        let isLess = wanted < byteCountMax
        byteCountMax = Self.limited(wanted)
        guard isLess, bytes.capacity > 0 else { return }
        evict(downTo: byteCountMax)
        dropGoneBytes()
        dropGoneEntries()
        // A copy allocates no more memory than it needs.
        bytes = bytes.withUnsafeBufferPointer { Array($0) }
        entries = entries.withUnsafeBufferPointer { Array($0) }
    }

    /// Adds a new entry. An entry larger than the table empties it.
    mutating func add(line: Span<UInt8>, nameByteCount: Int, name: FieldName) {
        let valueByteCount = line.count &- nameByteCount &- HPACKEntry.punctuationByteCount
        guard makeRoom(nameByteCount, valueByteCount, name) else { return }
        append(line)
    }

    /// Adds a new entry; returns false if it is larger than the table.
    mutating func add(name: Span<UInt8>, value: Span<UInt8>) -> Bool {
        guard makeRoom(name.count, value.count, .other) else { return false }
        append(name)
        bytes.append(0x3A)
        bytes.append(0x20)
        append(value)
        bytes.append(0x0D)
        bytes.append(0x0A)
        return true
    }

    private mutating func append(_ part: Span<UInt8>) {
        part.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Creates the entry and makes room for its line at the end of `bytes`.
    private mutating func makeRoom(
        _ nameByteCount: Int, _ valueByteCount: Int, _ name: FieldName
    ) -> Bool {
        let needed = nameByteCount &+ valueByteCount &+ HPACKEntry.overheadByteCount
        guard needed <= byteCountMax else {
            evict(downTo: 0)
            return false
        }
        evict(downTo: byteCountMax &- needed)
        let lineByteCount = nameByteCount &+ valueByteCount &+ HPACKEntry.punctuationByteCount
        reserveBytes(lineByteCount)
        reserveEntry()
        entries.append(
            HPACKEntry(
                position: origin &+ UInt32(truncatingIfNeeded: bytes.count),
                nameByteCount: nameByteCount, valueByteCount: valueByteCount, name: name))
        byteCount &+= needed
        addedCount &+= 1
        return true
    }

    /// Evicts the oldest entries until the total size is no larger than the given one.
    private mutating func evict(downTo byteCountMax: Int) {
        while byteCount > byteCountMax, goneEntryCount < entries.count {
            byteCount &-= entries[goneEntryCount].tableByteCount
            goneEntryCount &+= 1
        }
    }

    // Evicted bytes stay in place until memory is short, and are then removed if they are at least
    // a fifth of the total. Each byte is therefore moved only a few times, and memory use stays
    // close to the table's contents.

    private mutating func reserveBytes(_ addedByteCount: Int) {
        guard bytes.count &+ addedByteCount > bytes.capacity else { return }
        if goneByteCount &* 5 >= bytes.count { dropGoneBytes() }
        let needed = bytes.count &+ addedByteCount
        guard needed > bytes.capacity else { return }
        let most = byteCountMax &+ byteCountMax &>> 2
        bytes.reserveCapacity(max(needed, min(bytes.capacity &* 2, most), min(256, most)))
    }

    private mutating func reserveEntry() {
        guard entries.count == entries.capacity else { return }
        if goneEntryCount &* 5 >= entries.count { dropGoneEntries() }
        guard entries.count == entries.capacity else { return }
        entries.reserveCapacity(max(8, entries.capacity &* 2))
    }

    /// The number of bytes in `bytes` that belong to evicted entries.
    private var goneByteCount: Int {
        guard goneEntryCount < entries.count else { return bytes.count }
        return Int(entries[goneEntryCount].position &- origin)
    }

    private mutating func dropGoneBytes() {
        let gone = goneByteCount
        bytes.removeSubrange(0..<gone)
        origin &+= UInt32(truncatingIfNeeded: gone)
    }

    private mutating func dropGoneEntries() {
        entries.removeSubrange(0..<goneEntryCount)
        goneEntryCount = 0
    }
}
