internal import ProxydHTTPModel

/// Decodes the field blocks of one direction of a connection (RFC 7541 §3). It cannot be used after
/// an error, because the tables of the two sides then differ.
struct HPACKDecoder: Sendable {
    /// The maximum number of size updates at the start of a block: the lowest size and the final
    /// one (§4.2).
    private static let sizeUpdateCountMax = 2
    /// The maximum memory reserved for a block before it is decoded.
    private static let reservedByteCountMax = 2_048
    private static let reservedLineCountMax = 32

    private let statics = HPACKStaticTable.shared
    private var table: HPACKDynamicTable
    /// The maximum table size that the peer may set.
    private var tableByteCountMax: Int
    /// The maximum size in the peer's next update, if an update is required.
    private var demandedByteCountMax: Int?
    /// The size of the last block, used as an estimate because heads on one connection are similar.
    private var lastByteCount = 0
    private var lastLineCount = 0

    /// Creates a decoder for our SETTINGS_HEADER_TABLE_SIZE. Until the peer has acknowledged a
    /// different value, that is 4,096 (RFC 9113 §6.5.2).
    init(tableByteCountMax: Int) {
        self.tableByteCountMax = max(0, tableByteCountMax)
        table = HPACKDynamicTable(byteCountMax: tableByteCountMax)
    }

    /// The total size of the table's entries (RFC 7541 §4.1).
    var tableByteCount: Int { table.byteCount }
    var allocatedByteCount: Int { table.allocatedByteCount }

    /// Sets our SETTINGS_HEADER_TABLE_SIZE once the peer has acknowledged it. If the table is
    /// larger, entries that do not fit are evicted now, and the peer's next block must start with a
    /// size update (§4.2).
    mutating func setTableByteCountMax(_ byteCount: Int) {
        let byteCount = max(0, byteCount)
        tableByteCountMax = byteCount
        guard byteCount < table.byteCountMax else { return }
        demandedByteCountMax = byteCount
        table.setByteCountMax(byteCount)
    }

    /// Decodes a complete field block. Lines beyond the limits of `fields` are dropped from it, but
    /// the table processes all of them. A single line is kept completely while it is decoded, so
    /// the caller must limit the size of the block.
    mutating func decode(_ block: Span<UInt8>, into fields: inout FieldBlock) throws(HPACKError) {
        var position = 0
        try readSizeUpdates(block, from: &position)
        fields.reserve(
            byteCount: min(lastByteCount, Self.reservedByteCountMax) &+ FieldBlock.endByteCount,
            lineCount: min(lastLineCount, Self.reservedLineCountMax))
        do throws(HPACKError) {
            while position < block.count {
                try decodeLine(block, from: &position, into: &fields)
            }
        } catch {
            fields.dropUnfinishedLine()
            throw error
        }
        lastByteCount = fields.bytes.count
        lastLineCount = fields.lines.count
    }

    private mutating func readSizeUpdates(
        _ block: Span<UInt8>, from position: inout Int
    ) throws(HPACKError) {
        var count = 0
        while position < block.count, block[position] & 0xE0 == 0x20 {
            count &+= 1
            guard count <= Self.sizeUpdateCountMax else { throw .misplacedTableSize }
            let byteCount = try HPACKInteger.decode(block, from: &position, mask: 0x1F)
            guard byteCount <= demandedByteCountMax ?? tableByteCountMax else {
                throw .tableSizeTooLarge
            }
            demandedByteCountMax = nil
            table.setByteCountMax(byteCount)
        }
        guard demandedByteCountMax == nil else { throw .missingTableSize }
    }

    @inline(__always)
    private mutating func decodeLine(
        _ block: Span<UInt8>, from position: inout Int, into fields: inout FieldBlock
    ) throws(HPACKError) {
        let first = block[position]
        if first & 0x80 != 0 {
            let index = try HPACKInteger.decode(block, from: &position, mask: 0x7F)
            try append(index, to: &fields)
        } else if first & 0x40 != 0 {
            try decodeLiteral(block, from: &position, as: .added, mask: 0x3F, into: &fields)
        } else if first & 0x20 != 0 {
            throw .misplacedTableSize
        } else {
            let representation: FieldCoding.Representation =
                first & 0x10 != 0 ? .neverIndexed : .notAdded
            try decodeLiteral(block, from: &position, as: representation, mask: 0x0F, into: &fields)
        }
    }

    @inline(__always)
    private func append(_ index: Int, to fields: inout FieldBlock) throws(HPACKError) {
        guard index > 0 else { throw .badIndex }
        if index <= HPACKStaticTable.count {
            let entry = statics.entries[index &- 1]
            fields.append(entry, at: Int(entry.position), of: statics.bytes.span)
        } else {
            guard let (entry, start) = table.entry(ofAge: index &- HPACKStaticTable.count &- 1)
            else { throw .badIndex }
            fields.append(entry, at: start, of: table.bytes.span)
        }
    }

    /// Decodes a line with a literal value, and a literal name if the index is zero.
    private mutating func decodeLiteral(
        _ block: Span<UInt8>, from position: inout Int,
        as representation: FieldCoding.Representation, mask: UInt8, into fields: inout FieldBlock
    ) throws(HPACKError) {
        let index = try HPACKInteger.decode(block, from: &position, mask: mask)
        var line = fields.beginLine()
        var hasHuffmanName = false
        if index > 0 {
            line.name = try appendName(index, to: &fields)
        } else {
            hasHuffmanName = try appendString(block, from: &position, to: &fields)
            line.name = fields.nameOfUnfinishedLine(line)
        }
        fields.endName(of: &line)
        let hasHuffmanValue = try appendString(block, from: &position, to: &fields)
        fields.endValue(of: &line)
        if representation == .added {
            table.add(
                line: fields.bytes.span.extracting(line.start..<fields.bytes.count),
                nameByteCount: line.nameEnd &- line.start, name: line.name)
        }
        fields.finish(
            line,
            coding: FieldCoding(
                representation, hasHuffmanName: hasHuffmanName, hasHuffmanValue: hasHuffmanValue))
    }

    private func appendName(
        _ index: Int, to fields: inout FieldBlock
    ) throws(HPACKError) -> FieldName {
        if index <= HPACKStaticTable.count {
            let entry = statics.entries[index &- 1]
            let range = entry.nameRange(at: Int(entry.position))
            fields.appendToLine(statics.bytes.span.extracting(range))
            return entry.name
        }
        guard let (entry, start) = table.entry(ofAge: index &- HPACKStaticTable.count &- 1)
        else { throw .badIndex }
        fields.appendToLine(table.bytes.span.extracting(entry.nameRange(at: start)))
        return entry.name
    }

    /// Appends a string to the current line and returns whether it was Huffman-encoded.
    private func appendString(
        _ block: Span<UInt8>, from position: inout Int, to fields: inout FieldBlock
    ) throws(HPACKError) -> Bool {
        guard position < block.count else { throw .truncated }
        let isHuffman = block[position] & 0x80 != 0
        let byteCount = try HPACKInteger.decode(block, from: &position, mask: 0x7F)
        guard byteCount <= block.count &- position else { throw .truncated }
        let string = block.extracting(position..<position &+ byteCount)
        position &+= byteCount
        if isHuffman {
            try fields.appendToLine(huffman: string)
        } else {
            fields.appendToLine(string)
        }
        return isHuffman
    }
}

/// Why bytes are not a valid HPACK field block (RFC 7541). Each error ends the connection (RFC 9113
/// §4.3).
enum HPACKError: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The block ends inside a field line.
    case truncated
    /// A number above 2³¹−1, or of more than six bytes (§5.1).
    case integerTooLarge
    /// The index is zero, or neither table has an entry with it (§2.3.3).
    case badIndex
    /// A string contains the EOS code (§5.2).
    case endOfString
    /// A string ends with more than seven bits of padding, or with padding other than the first
    /// bits of EOS (§5.2).
    case badPadding
    /// A table size above the allowed maximum (§6.3).
    case tableSizeTooLarge
    /// A table size update after a field line, or a third one (§4.2).
    case misplacedTableSize
    /// No table size update after the maximum was lowered (§4.2).
    case missingTableSize

    var description: String {
        switch self {
        case .truncated: "a field block ends inside a field line"
        case .integerTooLarge: "a number in a field block is too large"
        case .badIndex: "a field block refers to an entry that is in no table"
        case .endOfString: "a Huffman string holds the end-of-string code"
        case .badPadding: "a Huffman string does not end in valid padding"
        case .tableSizeTooLarge: "a table size is above the one that was allowed"
        case .misplacedTableSize: "a table size is not at the beginning of a field block"
        case .missingTableSize: "a lowered table size was not acknowledged"
        }
    }
}

/// Integers with an N-bit prefix (RFC 7541 §5.1).
enum HPACKInteger {
    /// The largest integer that is accepted.
    static let max = Int(Int32.max)
    /// The maximum number of bytes after the prefix: 35 bits are enough for the largest integer.
    private static let restByteCountMax = 5

    /// Decodes an integer whose first byte has its prefix in the bits of `mask`.
    @inline(__always)
    static func decode(
        _ block: Span<UInt8>, from position: inout Int, mask: UInt8
    ) throws(HPACKError) -> Int {
        guard position < block.count else { throw .truncated }
        let prefix = block[position] & mask
        position &+= 1
        if prefix < mask { return Int(prefix) }
        return try decodeRest(block, from: &position, prefix: Int(mask))
    }

    @inline(never)
    private static func decodeRest(
        _ block: Span<UInt8>, from position: inout Int, prefix: Int
    ) throws(HPACKError) -> Int {
        var value = prefix
        for index in 0..<restByteCountMax {
            guard position < block.count else { throw .truncated }
            let byte = block[position]
            position &+= 1
            value &+= Int(byte & 0x7F) &<< (index &* 7)
            if byte < 0x80 {
                guard value <= max else { throw .integerTooLarge }
                return value
            }
        }
        throw .integerTooLarge
    }

    /// Appends a non-negative integer; `pattern` contains the bits of the first byte above the
    /// prefix.
    @inline(__always)
    static func append(_ value: Int, mask: UInt8, pattern: UInt8, to output: inout [UInt8]) {
        if value < Int(mask) {
            output.append(pattern | UInt8(truncatingIfNeeded: value))
        } else {
            output.append(pattern | mask)
            appendRest(UInt(bitPattern: value &- Int(mask)), to: &output)
        }
    }

    @inline(never)
    private static func appendRest(_ rest: UInt, to output: inout [UInt8]) {
        var rest = rest
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        output.append(UInt8(truncatingIfNeeded: rest))
    }
}
