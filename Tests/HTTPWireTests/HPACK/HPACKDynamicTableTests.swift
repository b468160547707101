import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import ProxydHTTPWire

@Suite struct HPACKDynamicTableTests {
    private func entries(of table: HPACKDynamicTable) -> [String] {
        (0..<table.count).compactMap { age in
            table.entry(ofAge: age).map { entry, start in
                String(decoding: table.bytes[start..<start + entry.lineByteCount], as: UTF8.self)
            }
        }
    }

    private func add(_ name: String, _ value: String, to table: inout HPACKDynamicTable) -> Bool {
        table.add(name: Array(name.utf8).span, value: Array(value.utf8).span)
    }

    @Test func `the HPACK dynamic table allocates nothing before its first entry`() {
        var table = HPACKDynamicTable(byteCountMax: 1 << 20)
        table.setByteCountMax(100)
        #expect(table.allocatedByteCount == 0)
        #expect(!add("name", String(repeating: "a", count: 100), to: &table))
        #expect(table.allocatedByteCount == 0 && table.entry(ofAge: 0) == nil)
    }

    @Test func `the HPACK dynamic table evicts its oldest entries first`() {
        var table = HPACKDynamicTable(byteCountMax: 102)
        for name in ["a", "b", "c", "d"] { #expect(add(name, "1", to: &table)) }
        #expect(entries(of: table) == ["d: 1\r\n", "c: 1\r\n", "b: 1\r\n"])
        #expect(table.byteCount == 102)
        #expect(add("e", "12", to: &table))
        #expect(entries(of: table) == ["e: 12\r\n", "d: 1\r\n"])
        #expect(!add("f", String(repeating: "a", count: 70), to: &table))
        #expect(table.count == 0 && table.byteCount == 0)
        #expect(table.entry(ofAge: 0) == nil && table.entry(ofAge: -1) == nil)
        #expect(add("g", "", to: &table))
        #expect(entries(of: table) == ["g: \r\n"])
    }

    @Test func `shrinking the HPACK dynamic table releases its memory`() {
        var table = HPACKDynamicTable(byteCountMax: 65_536)
        for number in 0..<2_000 { #expect(add("name", "\(number)", to: &table)) }
        #expect(table.allocatedByteCount > 20_000)
        table.setByteCountMax(1_000)
        #expect(entries(of: table).first == "name: 1999\r\n" && table.count == 25)
        #expect(table.allocatedByteCount < 1_500)
        table.setByteCountMax(65_536)
        #expect(table.count == 25)
        table.setByteCountMax(0)
        #expect(table.allocatedByteCount == 0 && table.count == 0)
    }

    /// Compared with a list that does the same in the simplest way.
    @Test(arguments: [0, 31, 32, 64, 300, 4_096, 65_536])
    func `the HPACK dynamic table holds the same entries as a simple list with the same limit`(
        byteCountMax: Int
    ) {
        var random = SplitMix(seed: UInt64(byteCountMax) + 1)
        var table = HPACKDynamicTable(byteCountMax: byteCountMax)
        var list: [(line: String, byteCount: Int)] = []
        var size = byteCountMax
        for round in 0..<5_000 {
            if random.below(500) == 0 {
                size = random.below(byteCountMax + 1)
                table.setByteCountMax(size)
            } else {
                let isLong = random.below(20) == 0
                let name = String(repeating: "n", count: random.below(isLong ? 200 : 9))
                let value = "\(round)"
                _ = add(name, value, to: &table)
                list.insert(("\(name): \(value)\r\n", name.count + value.count + 32), at: 0)
            }
            while list.reduce(0, { $0 + $1.byteCount }) > size { list.removeLast() }
            #expect(table.count == list.count)
            #expect(table.byteCount == list.reduce(0) { $0 + $1.byteCount })
            #expect(table.allocatedByteCount <= 9 * byteCountMax / 4 + 512)
            if round % 50 == 0 { #expect(entries(of: table) == list.map(\.line)) }
        }
    }
}
