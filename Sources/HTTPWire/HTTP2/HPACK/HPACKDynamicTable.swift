internal import ProxydHTTPModel

/// The dynamic table of one direction (RFC 7541 §2.3.2). It has no memory before its first entry,
/// and never much more than twice its size.
struct HPACKDynamicTable: Sendable {
    /// The most of `byteCount`.
    private(set) var byteCountMax: Int
    /// The size of all entries (RFC 7541 §4.1).
    private(set) var byteCount = 0
    /// How many entries there have been; wraps around.
    private(set) var addedCount: UInt32 = 0
    /// The lines of the entries, the oldest first, after those of entries that are gone.
    private(set) var octets: [UInt8] = []
    /// The entries, the oldest first, after some that are gone.
    private var entries: [HPACKEntry] = []
    private var goneEntryCount = 0
    /// The position of the first of `octets`.
    private var origin: UInt32 = 0

    /// A position has 32 bits.
    private static let byteCountLimit = 1 << 30

    init(byteCountMax: Int) { self.byteCountMax = Self.limited(byteCountMax) }

    private static func limited(_ byteCountMax: Int) -> Int {
        min(max(0, byteCountMax), byteCountLimit)
    }

    /// How many entries there are.
    var count: Int { entries.count &- goneEntryCount }

    /// How many bytes of memory there are.
    var allocatedByteCount: Int {
        octets.capacity &+ entries.capacity &* MemoryLayout<HPACKEntry>.stride
    }

    /// The entry that is so many entries older than the newest one, and where its line begins.
    @inline(__always)
    func entry(ofAge age: Int) -> (entry: HPACKEntry, start: Int)? {
        guard age >= 0, age < count else { return nil }
        let entry = entries[entries.count &- 1 &- age]
        return (entry, Int(entry.position &- origin))
    }

    /// Sets the size; what no longer fits goes, and its memory.
    mutating func setByteCountMax(_ wanted: Int) {
        let isLess = wanted < byteCountMax
        byteCountMax = Self.limited(wanted)
        guard isLess, octets.capacity > 0 else { return }
        evict(downTo: byteCountMax)
        dropGoneOctets()
        dropGoneEntries()
        // Copies have no more memory than they need.
        octets = octets.withUnsafeBufferPointer { Array($0) }
        entries = entries.withUnsafeBufferPointer { Array($0) }
    }

    /// Adds an entry as the newest one. One that is larger than the table empties it.
    mutating func add(line: Span<UInt8>, nameByteCount: Int, name: FieldName) {
        let valueByteCount = line.count &- nameByteCount &- HPACKEntry.punctuationByteCount
        guard makeRoom(nameByteCount, valueByteCount, name) else { return }
        append(line)
    }

    /// Adds an entry as the newest one; false where it is larger than the table.
    mutating func add(name: Span<UInt8>, value: Span<UInt8>) -> Bool {
        guard makeRoom(name.count, value.count, .other) else { return false }
        append(name)
        octets.append(0x3A)
        octets.append(0x20)
        append(value)
        octets.append(0x0D)
        octets.append(0x0A)
        return true
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    }

    /// Makes the entry, and room for its line behind `octets`.
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
        reserveOctets(lineByteCount)
        reserveEntry()
        entries.append(
            HPACKEntry(
                position: origin &+ UInt32(truncatingIfNeeded: octets.count),
                nameByteCount: nameByteCount, valueByteCount: valueByteCount, name: name))
        byteCount &+= needed
        addedCount &+= 1
        return true
    }

    /// Lets the oldest entries go until the others have no more than a size.
    private mutating func evict(downTo byteCountMax: Int) {
        while byteCount > byteCountMax, goneEntryCount < entries.count {
            byteCount &-= entries[goneEntryCount].tableByteCount
            goneEntryCount &+= 1
        }
    }

    // What is gone stays where it is until memory is short, and is then removed if it is a fifth of
    // all. So each byte is moved a few times at most, and memory stays near what is there.

    private mutating func reserveOctets(_ addedByteCount: Int) {
        guard octets.count &+ addedByteCount > octets.capacity else { return }
        if goneByteCount &* 5 >= octets.count { dropGoneOctets() }
        let needed = octets.count &+ addedByteCount
        guard needed > octets.capacity else { return }
        let most = byteCountMax &+ byteCountMax &>> 2
        octets.reserveCapacity(max(needed, min(octets.capacity &* 2, most), min(256, most)))
    }

    private mutating func reserveEntry() {
        guard entries.count == entries.capacity else { return }
        if goneEntryCount &* 5 >= entries.count { dropGoneEntries() }
        guard entries.count == entries.capacity else { return }
        entries.reserveCapacity(max(8, entries.capacity &* 2))
    }

    /// How many of `octets` belong to entries that are gone.
    private var goneByteCount: Int {
        guard goneEntryCount < entries.count else { return octets.count }
        return Int(entries[goneEntryCount].position &- origin)
    }

    private mutating func dropGoneOctets() {
        let gone = goneByteCount
        octets.removeSubrange(0..<gone)
        origin &+= UInt32(truncatingIfNeeded: gone)
    }

    private mutating func dropGoneEntries() {
        entries.removeSubrange(0..<goneEntryCount)
        goneEntryCount = 0
    }
}
