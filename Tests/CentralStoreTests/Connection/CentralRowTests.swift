import ProxydCentralStore
import Testing

/// Rows in PostgreSQL's binary format, whatever they hold.
@Suite struct CentralRowTests {
    /// A row with one column.
    private func row(_ type: UInt32, _ bytes: [UInt8]?) -> CentralRow {
        CentralRow(columns: [CentralRow.Column(name: "c", type: type)], values: [bytes])
    }

    // MARK: Numbers

    @Test(
        arguments: [
            (20, [0, 0, 0, 0, 0, 0, 0, 7], 7), (20, [0x80, 0, 0, 0, 0, 0, 0, 0], .min),
            (20, [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .max),
            (1184, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], -2),
            (23, [0, 0, 1, 0], 256), (23, [0x80, 0, 0, 0], -2_147_483_648),
            (23, [0xFF, 0xFF, 0xFF, 0xFF], -1), (23, [0x7F, 0xFF, 0xFF, 0xFF], 2_147_483_647),
            (21, [0x01, 0x02], 258), (21, [0x80, 0], -32_768), (21, [0xFF, 0xFF], -1),
            (16, [1], 1), (16, [0], 0),
        ] as [(UInt32, [UInt8], Int64)])
    func `PostgreSQL integers, booleans and timestamps are decoded as integers`(
        type: UInt32, bytes: [UInt8], wanted: Int64
    ) {
        #expect(row(type, bytes).integer(0) == wanted)
        #expect(row(type, bytes).text(0) == nil && row(type, bytes).bytes(0) == nil)
    }

    @Test(
        arguments: [
            // Bytes that are too few or too many for their type.
            (20, []), (20, [0, 0, 0, 7]), (20, [0, 0, 0, 0, 0, 0, 0, 0, 7]), (1184, [1]),
            (23, [0, 0, 7]), (23, [0, 0, 0, 0, 0, 0, 0, 7]), (21, [7]), (21, [0, 0, 0, 7]),
            (16, []), (16, [0, 1]),
            // Other types: `real`, `double precision`, `text`, `bytea`, one that is not known.
            (700, [0, 0, 0, 0]), (701, [0, 0, 0, 0, 0, 0, 0, 0]), (25, [0x37]), (17, [7]),
            (0, [0, 0, 0, 0, 0, 0, 0, 7]),
        ] as [(UInt32, [UInt8])])
    func `PostgreSQL values of the wrong length or type are not decoded as integers`(
        type: UInt32, bytes: [UInt8]
    ) {
        #expect(row(type, bytes).integer(0) == nil)
    }

    // MARK: Texts

    @Test(arguments: [25, 19, 1043] as [UInt32])
    func `PostgreSQL text types are decoded as strings, with invalid UTF-8 replaced`(type: UInt32) {
        #expect(row(type, Array("é\u{2400}".utf8)).text(0) == "é\u{2400}")
        #expect(row(type, []).text(0) == "")
        #expect(row(type, [0x61, 0xFF]).text(0) == "a\u{FFFD}")
    }

    @Test func `only PostgreSQL bytea and text values are decoded as bytes`() {
        #expect(row(17, [0, 0xFF]).bytes(0) == [0, 0xFF])
        #expect(row(25, [0x61, 0xFF]).bytes(0) == [0x61, 0xFF])
        #expect(row(17, []).bytes(0) == [])
        #expect(row(17, [0x61]).text(0) == nil)
        #expect(row(20, [0, 0, 0, 0, 0, 0, 0, 7]).bytes(0) == nil)
    }

    // MARK: What is not there

    @Test(arguments: [16, 17, 19, 20, 21, 23, 25, 1009, 1016, 1043, 1184] as [UInt32])
    func `PostgreSQL NULL is decoded as nil or an empty array, whatever its type`(type: UInt32) {
        let row = row(type, nil)
        #expect(row.integer(0) == nil && row.text(0) == nil && row.bytes(0) == nil)
        #expect(row.integers(0) == [] && row.texts(0) == [])
    }

    @Test func `a missing PostgreSQL column or value is decoded as nil or an empty array`() {
        let column = CentralRow.Column(name: "c", type: 25)
        let rows = [
            CentralRow(columns: [], values: []), CentralRow(columns: [column], values: []),
            CentralRow(columns: [], values: [[0x61]]),
        ]
        for row in rows {
            for index in [-1, 0, 1, .max] {
                #expect(row.text(index) == nil && row.bytes(index) == nil)
                #expect(row.integer(index) == nil)
                #expect(row.texts(index) == [] && row.integers(index) == [])
            }
        }
    }

    // MARK: Arrays

    private let head: [UInt8] = [
        0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1,
    ]

    @Test func `NULL elements are left out of a decoded PostgreSQL array`() {
        let bytes = head + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 0x61]
        #expect(row(1009, bytes).texts(0) == ["a"])
        #expect(row(1009, head + [0, 0, 0, 0, 0, 0, 0, 1, 0xFF]).texts(0) == ["", "\u{FFFD}"])
    }

    @Test func `a PostgreSQL array is not decoded as an array of another element type`() {
        let texts = row(1009, head + [0, 0, 0, 1, 0x61])
        #expect(texts.integers(0) == [])
        let numbers = row(1016, CentralValue.integers([1, 2]).encoded)
        #expect(numbers.texts(0) == [] && numbers.integers(0) == [1, 2])
        #expect(numbers.integer(0) == nil && numbers.bytes(0) == nil)
    }

    @Test func `a truncated PostgreSQL array is decoded up to its last complete element`() throws {
        let numbers = try #require(CentralValue.integers([1, 2]).encoded)
        let texts = try #require(CentralValue.texts(["ab", "c"]).encoded)
        for count in 0...numbers.count {
            let wanted: [Int64] = count < 32 ? [] : count < 44 ? [1] : [1, 2]
            #expect(row(1016, Array(numbers[..<count])).integers(0) == wanted, "\(count)")
        }
        for count in 0...texts.count {
            let wanted = count < 26 ? [] : count < 31 ? ["ab"] : ["ab", "c"]
            #expect(row(1009, Array(texts[..<count])).texts(0) == wanted, "\(count)")
        }
    }

    /// The rest of an element that was cut is no length of another one.
    @Test func `decoding a PostgreSQL array stops at an element with an impossible length`() {
        #expect(row(1009, head + [0, 0, 0, 9, 0, 0, 0, 1, 0x78]).texts(0) == [])
        #expect(row(1009, head + [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 0x78]).texts(0) == [])
    }

    @Test func `a bytea or text value is never decoded as an array`() {
        #expect(row(17, CentralValue.integers([1, 2]).encoded).integers(0) == [])
        #expect(row(25, CentralValue.texts(["a"]).encoded).texts(0) == [])
    }
}
