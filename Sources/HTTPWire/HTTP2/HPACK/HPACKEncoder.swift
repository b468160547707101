internal import ProxydHTTPModel

/// Encodes the field blocks of one direction of a connection. Never-indexed lines stay
/// never-indexed (RFC 7541 §7.1.3), and lines that their sender did not add to its table are not
/// added here; all others are encoded so that blocks become short.
struct HPACKEncoder: Sendable {
    /// The maximum table size used, even if the peer allows more; also the initial size (§4.2).
    static let tableByteCountMax = 4_096
    /// Shorter cookies could be guessed byte by byte by an observer who sees the lengths of blocks
    /// (§7.1).
    private static let guessableCookieByteCount = 20

    private let statics = HPACKStaticTable.shared
    private var table = HPACKDynamicTable(byteCountMax: Self.tableByteCountMax)
    private var index = HPACKEncoderIndex()
    /// The table size last announced to the peer.
    private var announcedByteCountMax = Self.tableByteCountMax
    /// The lowest table size since that announcement.
    private var lowestByteCountMax = Self.tableByteCountMax

    /// Creates an encoder for a peer that has not sent its settings yet.
    init() {}

    /// The total size of the table's entries (RFC 7541 §4.1).
    var tableByteCount: Int { table.byteCount }
    /// The memory allocated for the table and its index, in bytes.
    var allocatedByteCount: Int { table.allocatedByteCount &+ index.allocatedByteCount }

    /// Applies the peer's SETTINGS_HEADER_TABLE_SIZE.
    mutating func setPeerTableByteCountMax(_ byteCount: Int) {
        let byteCount = min(max(0, byteCount), Self.tableByteCountMax)
        lowestByteCountMax = min(lowestByteCountMax, byteCount)
        table.setByteCountMax(byteCount)
        if byteCount < HPACKEntry.overheadByteCount { index = HPACKEncoderIndex() }
    }

    /// Starts a block with the table's new size if it has changed (§4.2).
    mutating func beginBlock(into output: inout [UInt8]) {
        let last = table.byteCountMax
        if lowestByteCountMax < min(announcedByteCountMax, last) {
            announce(lowestByteCountMax, into: &output)
        }
        if announcedByteCountMax != last { announce(last, into: &output) }
        lowestByteCountMax = last
    }

    private mutating func announce(_ byteCount: Int, into output: inout [UInt8]) {
        HPACKInteger.append(byteCount, mask: 0x1F, pattern: 0x20, to: &output)
        announcedByteCountMax = byteCount
    }

    /// Appends a line, whose name is in lower case; `coding` is the representation its sender used.
    mutating func encode(
        name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding, into output: inout [UInt8]
    ) {
        let nameHash = HPACKHash.of(name)
        let staticIndex = statics.firstIndex(of: name, hash: nameHash)
        let representation = representation(staticIndex, name, value, coding)
        let isFree = coding.representation != .notAdded && representation != .neverIndexed
        if isFree, let staticIndex,
            let equal = statics.index(of: value, from: staticIndex)
        {
            return appendIndex(equal, to: &output)
        }
        guard representation == .added else {
            let index = staticIndex ?? self.index.index(of: name, hash: nameHash, in: table)
            let pattern: UInt8 = representation == .neverIndexed ? 0x10 : 0x00
            return append(index, name, value, mask: 0x0F, pattern: pattern, to: &output)
        }
        let hash = HPACKHash.of(value, seed: nameHash)
        if let equal = index.index(of: name, value, hash: hash, in: table) {
            return appendIndex(equal, to: &output)
        }
        let nameIndex = staticIndex ?? index.index(of: name, hash: nameHash, in: table)
        append(nameIndex, name, value, mask: 0x3F, pattern: 0x40, to: &output)
        if table.add(name: name, value: value) {
            index.add(nameHash: nameHash, hash: hash, as: table)
        }
    }

    /// Returns how to encode a line that is in neither table. Follows nghttp2: values that are long
    /// or different each time would only evict other entries, so such lines are never added to our
    /// table.
    private func representation(
        _ staticIndex: Int?, _ name: Span<UInt8>, _ value: Span<UInt8>, _ coding: FieldCoding
    ) -> FieldCoding.Representation {
        let sent = coding.representation
        if sent == .neverIndexed || sent == .notAdded { return sent }
        switch staticIndex {
        case 23 where sent == .text: return .neverIndexed  // authorization
        case 32 where sent == .text && value.count < Self.guessableCookieByteCount:
            return .neverIndexed
        // :path, age, content-length, etag, if-modified-since, if-none-match, location, set-cookie
        case 4, 21, 28, 34, 40, 41, 46, 55: return .notAdded
        default: break
        }
        let byteCount = name.count &+ value.count &+ HPACKEntry.overheadByteCount
        return byteCount > table.byteCountMax &* 3 / 4 || isOwnDate(name) ? .notAdded : .added
    }

    /// Whether a name has the form of `x-amz-date`.
    private func isOwnDate(_ name: Span<UInt8>) -> Bool {
        name.count >= 6 && name[0] == UInt8(ascii: "x")
            && ASCII.equalsIgnoringCase(name.extracting(last: 5), "-date")
    }

    private func appendIndex(_ index: Int, to output: inout [UInt8]) {
        HPACKInteger.append(index, mask: 0x7F, pattern: 0x80, to: &output)
    }

    private func append(
        _ nameIndex: Int?, _ name: Span<UInt8>, _ value: Span<UInt8>, mask: UInt8, pattern: UInt8,
        to output: inout [UInt8]
    ) {
        HPACKInteger.append(nameIndex ?? 0, mask: mask, pattern: pattern, to: &output)
        if nameIndex == nil { append(name, to: &output) }
        append(value, to: &output)
    }

    /// Appends a string, Huffman-encoded if that is shorter.
    private func append(_ string: Span<UInt8>, to output: inout [UInt8]) {
        let encodedByteCount = HuffmanCode.encodedByteCount(string)
        if encodedByteCount < string.count {
            HPACKInteger.append(encodedByteCount, mask: 0x7F, pattern: 0x80, to: &output)
            HuffmanCode.encode(string, into: &output)
        } else {
            HPACKInteger.append(string.count, mask: 0x7F, pattern: 0x00, to: &output)
            string.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }
}

/// Finds the entries of an encoder's dynamic table by hash. Entries are numbered in the order in
/// which they are added. If an entry's number is too old for the table, it has been evicted, and so
/// have all that follow it in its chain.
struct HPACKEncoderIndex: Sendable {
    private struct Link {
        var hash: UInt32 = 0
        var nameHash: UInt32 = 0
        /// The number of the previous entry in the chain.
        var previous: UInt32 = 0
        /// The number of the previous entry in the chain of names.
        var previousName: UInt32 = 0
    }

    private static let chainCount = 64

    /// The link of an entry is at the low bits of its number.
    private var links: [Link] = []
    /// The newest entry of each chain, followed by that of each chain of names.
    private var newest: [UInt32] = []

    var allocatedByteCount: Int {
        links.capacity &* MemoryLayout<Link>.stride
            &+ newest.capacity &* MemoryLayout<UInt32>.stride
    }

    private static func chain(_ hash: UInt32) -> Int { Int(hash) & (chainCount &- 1) }
    private static func nameChain(_ hash: UInt32) -> Int { chain(hash) &+ chainCount }
    private func slot(_ number: UInt32) -> Int { Int(number) & (links.count &- 1) }

    /// Returns the index of the newest entry with a name and a value, or nil.
    func index(
        of name: Span<UInt8>, _ value: Span<UInt8>, hash: UInt64, in table: HPACKDynamicTable
    ) -> Int? {
        guard table.count > 0 else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Self.chain(hash)]
        var lastAge = -1
        while let (entry, start, age) = entry(number, in: table), age > lastAge {
            let link = links[slot(number)]
            let bytes = table.bytes.span
            if link.hash == hash,
                ByteScan.areEqual(bytes.extracting(entry.valueRange(at: start)), value),
                ByteScan.areEqual(bytes.extracting(entry.nameRange(at: start)), name)
            {
                return HPACKStaticTable.count &+ 1 &+ age
            }
            number = link.previous
            lastAge = age
        }
        return nil
    }

    /// Returns the index of the newest entry with a name, or nil.
    func index(of name: Span<UInt8>, hash: UInt64, in table: HPACKDynamicTable) -> Int? {
        guard table.count > 0 else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Self.nameChain(hash)]
        var lastAge = -1
        while let (entry, start, age) = entry(number, in: table), age > lastAge {
            let link = links[slot(number)]
            let range = entry.nameRange(at: start)
            if link.nameHash == hash, ByteScan.areEqual(table.bytes.span.extracting(range), name) {
                return HPACKStaticTable.count &+ 1 &+ age
            }
            number = link.previousName
            lastAge = age
        }
        return nil
    }

    /// Returns the entry with a number unless it was evicted. Numbers wrap around, so a chain to
    /// which no entry has been added for a long time may lead to a newer entry; the search stops
    /// there.
    @inline(__always)
    private func entry(
        _ number: UInt32, in table: HPACKDynamicTable
    ) -> (entry: HPACKEntry, start: Int, age: Int)? {
        let age = Int(table.addedCount &- number)
        return table.entry(ofAge: age).map { ($0.entry, $0.start, age) }
    }

    /// Adds the entry that was just added to a table.
    mutating func add(nameHash: UInt64, hash: UInt64, as table: HPACKDynamicTable) {
        if newest.isEmpty { newest = Array(repeating: 0, count: 2 * Self.chainCount) }
        if table.count > links.count { grow(table) }
        let number = table.addedCount
        let hash = UInt32(truncatingIfNeeded: hash)
        let nameHash = UInt32(truncatingIfNeeded: nameHash)
        let chain = Self.chain(hash)
        let nameChain = Self.nameChain(nameHash)
        links[slot(number)] = Link(
            hash: hash, nameHash: nameHash, previous: newest[chain],
            previousName: newest[nameChain])
        newest[chain] = number
        newest[nameChain] = number
    }

    /// Doubles the number of slots; the entries in the table keep their numbers.
    private mutating func grow(_ table: HPACKDynamicTable) {
        var grown = [Link](repeating: Link(), count: max(16, links.count &* 2))
        for age in 1..<table.count {
            let number = table.addedCount &- UInt32(truncatingIfNeeded: age)
            grown[Int(number) & (grown.count &- 1)] = links[slot(number)]
        }
        links = grown
    }
}

/// Hashes of names and values, used by the encoder for lookups. A peer that causes collisions on
/// purpose gains nothing, because a search is limited to the entries that fit into the table.
enum HPACKHash {
    private static let multiplier: UInt64 = 0x9FB2_1C65_1E98_DF25

    @inline(__always)
    static func of(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            let count = bytes.count
            var hash = (seed ^ UInt64(truncatingIfNeeded: count)) &* multiplier
            if count >= 8 {
                var index = 0
                while index &+ 8 < count {
                    mix(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self), &hash)
                    index &+= 8
                }
                // The last eight bytes, some of which have already been mixed in.
                mix(bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self), &hash)
            } else if count >= 4 {
                let first = bytes.loadUnaligned(as: UInt32.self)
                let last = bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                mix(UInt64(first) &<< 32 | UInt64(last), &hash)
            } else if count > 0 {
                let ends = UInt64(bytes[0]) &<< 16 | UInt64(bytes[count &- 1])
                mix(ends | UInt64(bytes[count &>> 1]) &<< 8, &hash)
            }
            return hash
        }
    }

    @inline(__always)
    private static func mix(_ word: UInt64, _ hash: inout UInt64) {
        hash = (hash ^ word) &* multiplier
        hash ^= hash &>> 32
    }
}
