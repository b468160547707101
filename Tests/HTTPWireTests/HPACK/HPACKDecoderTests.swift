import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

@Suite struct HPACKDecoderTests {
    private func failure(_ hexadecimal: String, tableByteCountMax: Int = 4_096) -> HPACKError? {
        var decoder = HPACKDecoder(tableByteCountMax: tableByteCountMax)
        do throws(HPACKError) {
            _ = try decoder.list(of: HPACKHex.bytes(hexadecimal))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            // An index of zero, one of the empty dynamic table, as a name, too.
            ("80", .badIndex), ("be", .badIndex), ("7e0161", .badIndex), ("ffffffff07", .badIndex),
            // Numbers: 2³¹, 64 bits, ten bytes, zeros without end, one more zero than is read.
            ("ff8180808008", .integerTooLarge), ("ffffffffffffffffffff01", .integerTooLarge),
            ("ff80808080808080808000", .integerTooLarge), ("ff808080808000", .integerTooLarge),
            ("3fffffffffffff", .integerTooLarge), ("007fffffffffffff", .integerTooLarge),
            // The block ends too early, in each part of a line.
            ("ff", .truncated), ("ff80", .truncated), ("40", .truncated), ("4001", .truncated),
            ("400161", .truncated), ("40016102", .truncated), ("4001610261", .truncated),
            ("0f", .truncated), ("01", .truncated), ("017f", .truncated), ("3f", .truncated),
            ("01ffffffff07", .truncated), ("0085ffffffff", .truncated),
            // Strings in the Huffman code.
            ("0084ffffffff", .endOfString), ("0181ff", .badPadding), ("018118", .badPadding),
            ("01821fff", .badPadding),
            // Sizes of the table.
            ("3fe21f", .tableSizeTooLarge), ("8220", .misplacedTableSize),
            ("202020", .misplacedTableSize),
        ] as [(String, HPACKError)])
    func `the HPACK decoder rejects an invalid header block`(hexadecimal: String, error: HPACKError)
    {
        #expect(failure(hexadecimal) == error)
    }

    @Test(
        arguments: [
            "", "82", "20", "3fe11f", "203fe11f82", "2082", "000000", "008080", "000001ff",
            // Five bytes after the prefix, three of them needless.
            "3f8080808000",
        ])
    func `the HPACK decoder accepts valid header blocks with unusual encodings`(hexadecimal: String)
    {
        #expect(failure(hexadecimal) == nil)
    }

    @Test func `every HPACK error has a distinct description of one line`() {
        let messages = Set(HPACKError.allCases.map(\.description))
        #expect(messages.count == HPACKError.allCases.count)
        #expect(messages.allSatisfy { !$0.isEmpty && !$0.contains("\n") })
    }

    @Test func `the HPACK decoder reports how each field line was encoded`() throws {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        let lines = try decoder.list(
            of: HPACKHex.bytes("82 4001610162 4081 1f 8147 0f1c 811f 1f1c0161 408127 0163 be"))
        #expect(
            lines.map(\.coding) == [
                FieldCoding(.indexed), FieldCoding(.added),
                FieldCoding(.added, hasHuffmanName: true, hasHuffmanValue: true),
                FieldCoding(.notAdded, hasHuffmanValue: true), FieldCoding(.neverIndexed),
                FieldCoding(.added, hasHuffmanName: true), FieldCoding(.indexed),
            ])
    }

    @Test func `after the HPACK table size is lowered, the next header block must acknowledge it`()
        throws
    {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        decoder.setTableByteCountMax(1_000)
        var copy = decoder
        #expect(throws: HPACKError.missingTableSize) { try copy.text(of: "82") }
        copy = decoder
        #expect(throws: HPACKError.missingTableSize) { try copy.text(of: "") }
        copy = decoder
        // 1,001.
        #expect(throws: HPACKError.tableSizeTooLarge) { try copy.text(of: "3fca0782") }
        // 1,000, and then nothing more is asked.
        #expect(try decoder.text(of: "3fc90782") == [":method: GET"])
        #expect(try decoder.text(of: "82") == [":method: GET"])
        // The peer uses less than it may: nothing has to be said.
        decoder.setTableByteCountMax(4_096)
        decoder.setTableByteCountMax(1_000)
        #expect(try decoder.text(of: "82") == [":method: GET"])
    }

    @Test
    func `if the HPACK table is shrunk and enlarged again, the smaller size must be acknowledged`()
        throws
    {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        decoder.setTableByteCountMax(1_000)
        decoder.setTableByteCountMax(4_096)
        var copy = decoder
        #expect(throws: HPACKError.tableSizeTooLarge) { try copy.text(of: "3fe11f82") }
        #expect(try decoder.text(of: "3fc9073fe11f82") == [":method: GET"])
        decoder.setTableByteCountMax(-1)
        #expect(try decoder.text(of: "20") == [])
    }

    @Test func `an HPACK field line may take its name from the table entry that it evicts`() throws
    {
        var decoder = HPACKDecoder(tableByteCountMax: 40)
        #expect(
            try decoder.text(of: "4002616102626282 7e026363 7e 06 646464646464 be")
                == ["aa: bb", ":method: GET", "aa: cc", "aa: dddddd", "aa: dddddd"])
        // One byte more than the table has: it is empty.
        #expect(throws: HPACKError.badIndex) {
            try decoder.text(of: "7e07 64646464646464 be")
        }
    }

    @Test
    func `an HPACK header list over the size limit is counted in full but stored only up to it`()
        throws
    {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        let value = [UInt8](repeating: 0x61, count: 4_000)
        var fields = FieldBlock(limits: .init(listByteCountMax: 262_144, lineCountMax: 1_000))
        let first: [UInt8] = [0x40, 0x01, 0x61, 0x7F, 0xA1, 0x1E] + value
        let bomb = first + [UInt8](repeating: 0xBE, count: 16_000)
        try decoder.decode(bomb.span, into: &fields)
        #expect(fields.excess == .bytes && fields.listByteCount == 16_001 * 4_033)
        #expect(fields.lines.count == 262_144 / 4_033)
        #expect(fields.bytes.capacity < 600_000 && decoder.allocatedByteCount < 10_000)
        let entries = try decoder.list(of: [0xBE])
        #expect(entries == [HPACKLine(name: [0x61], value: value, coding: .init(.indexed))])
    }

    @Test func `field lines that exceed the list limit still enter the HPACK dynamic table`() throws
    {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        var fields = FieldBlock(limits: .init(listByteCountMax: 1 << 20, lineCountMax: 1))
        try decoder.decode(
            HPACKHex.bytes("82 4001610162 4081 1f 8147 0001630164 be").span, into: &fields)
        #expect(fields.list.map(\.description) == [":method: GET"] && fields.excess == .lines)
        #expect(fields.bytes.count == 14 && fields.listByteCount == 42 + 4 * 34)
        #expect(try decoder.text(of: "bebf") == ["a: s", "a: b"])
    }

    @Test func `an HPACK block that fails midway leaves only complete field lines in the output`()
        throws
    {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        var fields = FieldBlock.roomy
        #expect(throws: HPACKError.endOfString) {
            try decoder.decode(HPACKHex.bytes("82400161 84ffffffff").span, into: &fields)
        }
        #expect(fields.list.map(\.description) == [":method: GET"] && fields.bytes.count == 14)
    }
}
