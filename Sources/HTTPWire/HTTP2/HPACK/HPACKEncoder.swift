internal import ProxydHTTPModel

/// Writes the field blocks of one direction of a connection. Lines that may enter no table enter
/// none (RFC 7541 §7.1.3), those that the sender did not add are not added; for all others it does
/// what is short.
struct HPACKEncoder: Sendable {
    /// The most that is used of the size that the peer allows; its size at first, too (§4.2).
    static let tableByteCountMax = 4_096
    /// Shorter cookies may be guessed, byte by byte, by who sees how long blocks become (§7.1).
    private static let guessableCookieByteCount = 20

    private let statics = HPACKStaticTable.shared
    private var table = HPACKDynamicTable(byteCountMax: Self.tableByteCountMax)
    private var index = HPACKEncoderIndex()
    /// The size that the peer was told.
    private var announcedByteCountMax = Self.tableByteCountMax
    /// The lowest size since then.
    private var lowestByteCountMax = Self.tableByteCountMax

    /// An encoder for a peer that has said nothing yet.
    init() {}

    /// The size of the table's entries (RFC 7541 §4.1).
    var tableByteCount: Int { table.byteCount }
    /// How many bytes of memory the table and its index have.
    var allocatedByteCount: Int { table.allocatedByteCount &+ index.allocatedByteCount }

    /// Heeds the peer's SETTINGS_HEADER_TABLE_SIZE.
    mutating func setPeerTableByteCountMax(_ byteCount: Int) {
        let byteCount = min(max(0, byteCount), Self.tableByteCountMax)
        lowestByteCountMax = min(lowestByteCountMax, byteCount)
        table.setByteCountMax(byteCount)
        if byteCount < HPACKEntry.overheadByteCount { index = HPACKEncoderIndex() }
    }

    /// Begins a block: says how large the table has become, if it has (§4.2).
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

    /// Appends a line, whose name is in lower case; `coding` is how its sender wrote it.
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

    /// How a line is written that no table has. The choice is nghttp2's: what is long, or different
    /// each time, would only drive other entries out. So no entry of ours is such a line.
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

    /// Whether a name is one like `x-amz-date`.
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

    /// Appends a string, in the Huffman code where that is shorter.
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
