/// How the side file keeps the exchanges that share a value, a host or a status: a row for each
/// block of 1,024 exchange numbers, with their places in the block as a JSON array. Most exchanges
/// share both with many others, and a row for each of them would cost more than recording it.
enum IndexBlock {
    private static let shift: Int64 = 10

    /// The block that a number lies in. Numbers begin at 1.
    static func block(of id: Int64) -> Int64 { (id &- 1) >> shift }

    /// The exchange number, in SQL, of a row `block` and a place that `json_each` gives.
    static let exchangeID = "(block << \(shift)) + 1 + place.value"

    /// Hands over ascending numbers block by block, places as the file has them.
    static func forEach(
        of ids: [Int64], _ body: (_ block: Int64, _ places: [UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var rest = ids[...]
        while let first = rest.first {
            let block = block(of: first)
            let end = rest.firstIndex { self.block(of: $0) != block } ?? rest.endIndex
            var places: [UInt8] = []
            for id in rest[..<end] {
                places.append(UInt8(ascii: places.isEmpty ? "[" : ","))
                places += String(id &- 1 &- block << shift).utf8
            }
            places.append(UInt8(ascii: "]"))
            try body(block, places)
            rest = rest[end...]
        }
    }

    /// The numbers of a block, ascending. What is no place is left out: the file may be damaged.
    static func ids(in block: Int64, places: [UInt8]) -> [Int64] {
        places.split { !(0x30...0x39 ~= $0) }.compactMap { digits in
            Int64(String(decoding: digits, as: UTF8.self))
        }.filter { $0 >> shift == 0 }.map { block << shift &+ 1 &+ $0 }.sorted()
    }
}
