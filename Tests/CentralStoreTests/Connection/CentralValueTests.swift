import ProxydCentralStore
import Testing

/// Values in PostgreSQL's binary format, as the functions `…_send` of its source write them.
@Suite struct CentralValueTests {
    private static let encodings: [(CentralValue, UInt32, [UInt8]?)] = [
        (.null, 0, nil),
        (.integer(0), 20, [0, 0, 0, 0, 0, 0, 0, 0]),
        (.integer(-2), 20, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]),
        (.integer(.min), 20, [0x80, 0, 0, 0, 0, 0, 0, 0]),
        (.integer(.max), 20, [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        (.timestamp(0x0102_0304_0506_0708), 1184, [1, 2, 3, 4, 5, 6, 7, 8]),
        (.boolean(true), 16, [1]),
        (.boolean(false), 16, [0]),
        (.bytes([]), 17, []),
        (.bytes([0, 0xFF]), 17, [0, 0xFF]),
        (.text(""), 25, []),
        (.text("é"), 25, [0xC3, 0xA9]),
        (.encoded(type: 1043, [1]), 1043, [1]),
        (.encoded(type: 23, nil), 23, nil),
        // An array has its dimensions, whether it has NULLs, the type, each dimension's count and
        // lower bound, and then each element with its length. An empty one has no dimension.
        (.integers([]), 1016, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20]),
        (.texts([]), 1009, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25]),
        (
            .integers([1, -1]), 1016,
            [
                0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1,
                0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1,
                0, 0, 0, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            ]
        ),
        (
            .texts(["a", "", "é"]), 1009,
            [
                0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 3, 0, 0, 0, 1,
                0, 0, 0, 1, 0x61, 0, 0, 0, 0, 0, 0, 0, 2, 0xC3, 0xA9,
            ]
        ),
    ]

    @Test(arguments: encodings)
    func `a PostgreSQL argument is encoded in binary format with its type number`(
        value: CentralValue, type: UInt32, bytes: [UInt8]?
    ) {
        #expect(value.typeNumber == type)
        #expect(value.encoded == bytes)
    }

    @Test(arguments: [
        ("\0", "\u{2400}"), ("a\0\0b", "a\u{2400}\u{2400}b"), ("\0é\0", "\u{2400}é\u{2400}"),
        ("\u{2400}", "\u{2400}"), ("\u{1}", "\u{1}"), ("e\u{301}", "e\u{301}"),
    ])
    func `in text sent to PostgreSQL, only U+0000 is replaced, with U+2400`(
        text: String, wanted: String
    ) {
        let bytes = Array(wanted.utf8)
        #expect(CentralValue.text(text).encoded == bytes)
        let length = UInt8(truncatingIfNeeded: bytes.count)
        // After the head of 20 bytes and a first element of one byte.
        #expect(
            CentralValue.texts(["x", text]).encoded.map { Array($0.dropFirst(25)) }
                == [0, 0, 0, length] + bytes)
    }

    @Test func `bytea values are sent to PostgreSQL unchanged, including NUL bytes`() {
        #expect(CentralValue.bytes([0x61, 0, 0xFF]).encoded == [0x61, 0, 0xFF])
    }

    @Test func `nil is sent to PostgreSQL as NULL without a type`() {
        #expect(CentralValue(nil as String?) == .null)
        #expect(CentralValue(nil as Int64?) == .null)
        #expect(CentralValue("" as String?) == .text(""))
        #expect(CentralValue(0 as Int64?) == .integer(0))
    }

    @Test func `integer and string arrays encoded for PostgreSQL are decoded to the same elements`()
    {
        let numbers: [Int64] = [.min, -1, 0, 1, .max]
        let texts = ["", "a", "é😀", String(repeating: "x", count: 70_000)]
        let values = [CentralValue.integers(numbers), .texts(texts), .integers([]), .texts([])]
        let row = CentralRow(
            columns: values.map { CentralRow.Column(name: "", type: $0.typeNumber) },
            values: values.map(\.encoded))
        #expect(row.integers(0) == numbers)
        #expect(row.texts(1) == texts)
        #expect(row.integers(2) == [] && row.texts(3) == [])
    }
}
