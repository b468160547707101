internal import ProxydHTTPModel

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
    private let places: [UInt8]
    private static let placeCount = 256

    private init() {
        var bytes: [UInt8] = []
        var entries: [HPACKEntry] = []
        var places = [UInt8](repeating: 0, count: Self.placeCount)
        for (index, (name, value)) in zip(1..., Self.lines) {
            entries.append(
                HPACKEntry(
                    position: UInt32(bytes.count), nameByteCount: name.utf8.count,
                    valueByteCount: value.utf8.count, name: FieldName(Array(name.utf8).span)))
            bytes.append(contentsOf: "\(name): \(value)\r\n".utf8)
            // The entries with the same name are adjacent.
            guard index == 1 || Self.lines[index - 2].name != name else { continue }
            var place = Self.place(HPACKHash.of(Array(name.utf8).span))
            while places[place] != 0 { place = (place + 1) % Self.placeCount }
            places[place] = UInt8(index)
        }
        self.bytes = bytes
        self.entries = entries
        self.places = places
    }

    private static func place(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (placeCount &- 1)
    }

    /// Returns the first index of a name, or nil if the table does not contain it.
    func firstIndex(of name: Span<UInt8>, hash: UInt64) -> Int? {
        var place = Self.place(hash)
        while places[place] != 0 {
            let index = Int(places[place])
            let entry = entries[index &- 1]
            let range = entry.nameRange(at: Int(entry.position))
            if ByteScan.areEqual(bytes.span.extracting(range), name) { return index }
            place = (place &+ 1) & (Self.placeCount &- 1)
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

    /// Returns the last index of the name whose first index is given.
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
