import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import ProxydHTTPWire

@Suite struct HPACKEncoderTests {
    /// How lines come back from a decoder.
    private func representations(
        _ encoder: inout HPACKEncoder, _ decoder: inout HPACKDecoder, _ lines: [HPACKLine]
    ) throws -> [FieldCoding.Representation] {
        let decoded = try decoder.list(of: encoder.block(of: lines))
        #expect(decoded.map(\.description) == lines.map(\.description))
        return decoded.map(\.coding.representation)
    }

    @Test func `HPACK encoder and decoder allocate nothing before the first table entry`() {
        var encoder = HPACKEncoder()
        _ = encoder.block(of: [
            HPACKLine(":method", "GET"), HPACKLine(":path", "/a"), HPACKLine("authorization", "b"),
            HPACKLine("x-secret", "c", .init(.neverIndexed)),
        ])
        #expect(encoder.allocatedByteCount == 0)
        var decoder = HPACKDecoder(tableByteCountMax: 65_536)
        _ = try? decoder.list(of: [0x82, 0x04, 0x01, 0x61])
        #expect(decoder.allocatedByteCount == 0)
    }

    @Test func `the memory of the HPACK encoder stays near the size of its table`() {
        var encoder = HPACKEncoder()
        for number in 0..<10_000 { _ = encoder.block(of: [HPACKLine("a", "\(number)")]) }
        #expect(encoder.allocatedByteCount < 12_000)
        encoder.setPeerTableByteCountMax(0)
        #expect(encoder.allocatedByteCount == 0)
    }

    @Test func `the HPACK encoder keeps the sender's choice not to index a field line`() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        let huffman = FieldCoding(.neverIndexed, hasHuffmanName: true, hasHuffmanValue: true)
        let lines = [
            HPACKLine("a", "b", .init(.added)), HPACKLine("a", "b", .init(.notAdded)),
            HPACKLine("a", "b", huffman), HPACKLine(":method", "GET", .init(.neverIndexed)),
            HPACKLine(":method", "GET", .init(.notAdded)), HPACKLine("a", "b"),
            HPACKLine("a", "b", .init(.indexed)), HPACKLine("a", "c", .init(.indexed)),
        ]
        #expect(
            try representations(&encoder, &decoder, lines) == [
                .added, .notAdded, .neverIndexed, .neverIndexed, .notAdded, .indexed, .indexed,
                .added,
            ])
    }

    @Test(
        arguments: [
            "age", "content-length", "etag", "if-modified-since", "if-none-match", "location",
            ":path", "set-cookie", "x-date", "x-amz-date",
        ])
    func `fields whose values change with every message are not added to the HPACK table`(
        name: String
    ) throws {
        for coding in [FieldCoding.text, FieldCoding(.added), FieldCoding(.indexed)] {
            var encoder = HPACKEncoder()
            var decoder = HPACKDecoder(tableByteCountMax: 4_096)
            let line = HPACKLine(name, "1", coding)
            #expect(
                try representations(&encoder, &decoder, [line, line]) == [.notAdded, .notAdded])
        }
    }

    @Test
    func `Authorization and short Cookie fields are not HPACK-indexed unless the sender did so`()
        throws
    {
        let short = String(repeating: "a", count: 19)
        for (line, representation) in [
            (HPACKLine("authorization", "x"), .neverIndexed),
            (HPACKLine("cookie", short), .neverIndexed),
            (HPACKLine("cookie", short + "a"), .added),
            (HPACKLine("authorization", "x", .init(.added)), .added),
            (HPACKLine("cookie", short, .init(.added)), .added),
        ] as [(HPACKLine, FieldCoding.Representation)] {
            var encoder = HPACKEncoder()
            var decoder = HPACKDecoder(tableByteCountMax: 4_096)
            #expect(try representations(&encoder, &decoder, [line]) == [representation])
        }
    }

    @Test func `a field line larger than three quarters of the HPACK table is not added to it`()
        throws
    {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        let value = String(repeating: "a", count: 3_072 - 33)
        let lines = [HPACKLine("a", value + "a"), HPACKLine("a", value)]
        #expect(try representations(&encoder, &decoder, lines) == [.notAdded, .added])
    }

    @Test(
        arguments: [
            ([], ""), ([4_096], ""), ([65_536], ""), ([1_000], "3fc907"), ([0], "20"),
            ([1_000, 4_096], "3fc9073fe11f"), ([1_000, 500, 2_000], "3fd5033fb10f"),
            ([2_000, 500], "3fd503"), ([0, 65_536], "203fe11f"), ([-5], "20"),
        ])
    func `the first HPACK block after a size change begins with the table size updates it requires`(
        sizes: [Int], hexadecimal: String
    ) {
        var encoder = HPACKEncoder()
        for size in sizes { encoder.setPeerTableByteCountMax(size) }
        #expect(HPACKHex.text(encoder.block(of: [])) == hexadecimal)
        #expect(encoder.block(of: []) == [])
        // Raised again, it is said once.
        encoder.setPeerTableByteCountMax(8_192)
        let isBelow = (sizes.last ?? 4_096) < 4_096
        #expect(HPACKHex.text(encoder.block(of: [])) == (isBelow ? "3fe11f" : ""))
    }

    @Test func `a table size that drops to zero and rises again empties both HPACK tables`() throws
    {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        let line = HPACKLine("a", "b")
        #expect(try representations(&encoder, &decoder, [line, line]) == [.added, .indexed])
        for size in [0, 4_096] {
            encoder.setPeerTableByteCountMax(size)
            decoder.setTableByteCountMax(size)
        }
        #expect(try representations(&encoder, &decoder, [line, line]) == [.added, .indexed])
    }

    @Test func `HPACK encoder and decoder stay synchronized over many lines with repeated names`()
        throws
    {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        for round in 0..<500 {
            let lines = (0..<5).map { HPACKLine("name-\((round + $0) % 40)", "\(round / 7)") }
            _ = try representations(&encoder, &decoder, lines)
            #expect(encoder.tableByteCount == decoder.tableByteCount)
        }
    }
}

/// What is written is read as what it was, with tables of any size, and damage never traps.
@Suite struct HPACKRoundTripTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `random field lists survive an HPACK round trip with changing table sizes`(seed: UInt64)
        throws
    {
        var heads = RandomHeads(seed: seed)
        for _ in 0..<20 {
            var encoder = HPACKEncoder()
            var decoder = HPACKDecoder(tableByteCountMax: 4_096)
            for _ in 0..<50 {
                while heads.random.below(8) == 0 {
                    let size = heads.size()
                    encoder.setPeerTableByteCountMax(size)
                    decoder.setTableByteCountMax(size)
                }
                let list = heads.list()
                let decoded = try decoder.list(of: encoder.block(of: list))
                #expect(decoded.map(\.name) == list.map(\.name))
                #expect(decoded.map(\.value) == list.map(\.value))
                for (ours, sent) in zip(decoded, list) where sent.coding.isNeverIndexed {
                    #expect(ours.coding.isNeverIndexed)
                }
                #expect(encoder.tableByteCount == decoder.tableByteCount)
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `damaged HPACK blocks never exceed the decoder's limits`(seed: UInt64) {
        var heads = RandomHeads(seed: seed &* 77)
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        for _ in 0..<500 {
            let block = Damage.apply(to: encoder.block(of: heads.list()), using: &heads.random)
            var fields = FieldBlock(limits: .init(listByteCountMax: 2_000, lineCountMax: 10))
            try? decoder.decode(block.span, into: &fields)
            #expect(fields.list.count <= 10 && fields.bytes.count <= 2_000)
            #expect(decoder.tableByteCount <= 4_096 && decoder.allocatedByteCount < 10_000)
        }
    }
}
