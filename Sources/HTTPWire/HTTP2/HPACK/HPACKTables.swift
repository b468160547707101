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

    var count: Int { entries.count &- goneEntryCount }

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

/// The static table (RFC 7541 appendix A).
struct HPACKStaticTable: Sendable {
    static let shared = HPACKStaticTable()
    /// The number of entries; their indices are 1...61.
    static let count = 61

    /// The lines of all entries, one after another.
    let bytes: [UInt8]
    /// All entries, starting with index 1.
    let entries: [HPACKEntry]
    /// The first index of each name, at a slot found by the name's hash; zero for an empty slot.
    private let slots: [UInt8]
    private static let slotCount = 256

    private init() {
        var bytes: [UInt8] = []
        var entries: [HPACKEntry] = []
        var slots = [UInt8](repeating: 0, count: Self.slotCount)
        for (index, (name, value)) in zip(1..., Self.lines) {
            entries.append(
                HPACKEntry(
                    position: UInt32(bytes.count), nameByteCount: name.utf8.count,
                    valueByteCount: value.utf8.count, name: FieldName(Array(name.utf8).span)))
            bytes.append(contentsOf: "\(name): \(value)\r\n".utf8)
            // The entries with the same name are adjacent.
            guard index == 1 || Self.lines[index - 2].name != name else { continue }
            var slot = Self.slot(HPACKHash.of(Array(name.utf8).span))
            while slots[slot] != 0 { slot = (slot + 1) % Self.slotCount }
            slots[slot] = UInt8(index)
        }
        self.bytes = bytes
        self.entries = entries
        self.slots = slots
    }

    private static func slot(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (slotCount &- 1)
    }

    /// Returns the first index of a name, or nil if the table does not contain it.
    func firstIndex(of name: Span<UInt8>, hash: UInt64) -> Int? {
        var slot = Self.slot(hash)
        while slots[slot] != 0 {
            let index = Int(slots[slot])
            let entry = entries[index &- 1]
            let range = entry.nameRange(at: Int(entry.position))
            if ByteScan.areEqual(bytes.span.extracting(range), name) { return index }
            slot = (slot &+ 1) & (Self.slotCount &- 1)
        }
        return nil
    }

    /// Returns the index of the entry with a value, among those of the name whose first index is
    /// given.
    func index(of value: Span<UInt8>, from first: Int) -> Int? {
        for index in first...Self.lastIndex(from: first) {
            let entry = entries[index &- 1]
            let range = entry.valueRange(at: Int(entry.position))
            if ByteScan.areEqual(bytes.span.extracting(range), value) { return index }
        }
        return nil
    }

    private static func lastIndex(from first: Int) -> Int {
        switch first {
        case 2, 4, 6: first &+ 1
        case 8: 14
        default: first
        }
    }

    private static let lines: [(name: String, value: String)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
        (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
        (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
        (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
        ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
        ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
        ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""),
        ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
        ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
        ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""),
        ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""),
        ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]
}

/// An entry of a table: the position of its line `name: value` with CRLF in the table's bytes.
struct HPACKEntry: Sendable {
    /// The number of bytes that ": " and CRLF add to a name and its value.
    static let punctuationByteCount = 4
    /// The size counted for an entry in addition to its name and value (RFC 7541 §4.1).
    static let overheadByteCount = 32

    /// The position of the line's first byte. The dynamic table counts all bytes it has ever
    /// contained.
    let position: UInt32
    let nameByteCount: UInt32
    let valueByteCount: UInt32
    /// The recognized name, kept so that it need not be looked up again.
    let name: FieldName

    init(position: UInt32, nameByteCount: Int, valueByteCount: Int, name: FieldName) {
        self.position = position
        self.nameByteCount = UInt32(truncatingIfNeeded: nameByteCount)
        self.valueByteCount = UInt32(truncatingIfNeeded: valueByteCount)
        self.name = name
    }

    var lineByteCount: Int {
        Int(nameByteCount) &+ Int(valueByteCount) &+ Self.punctuationByteCount
    }
    /// The size of the entry (RFC 7541 §4.1).
    var tableByteCount: Int { Int(nameByteCount) &+ Int(valueByteCount) &+ Self.overheadByteCount }

    /// Returns the range of the name in bytes that contain the line from `start` on.
    func nameRange(at start: Int) -> Range<Int> { start..<start &+ Int(nameByteCount) }

    /// Returns the range of the value in the same bytes.
    func valueRange(at start: Int) -> Range<Int> {
        let valueStart = start &+ Int(nameByteCount) &+ 2
        return valueStart..<valueStart &+ Int(valueByteCount)
    }
}
