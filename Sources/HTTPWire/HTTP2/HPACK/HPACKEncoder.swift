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
