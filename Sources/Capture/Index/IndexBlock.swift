internal import ProxydCaptureModel

/// How the index file keeps the exchanges that share a value, a host or a status: a row for each
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

    /// The numbers of a block, ascending; nil where the file, being damaged, has something else
    /// there than a block's places.
    static func ids(in block: Int64, places: [UInt8]) -> [Int64]? {
        guard 0...Int64.max >> shift ~= block, places.first == UInt8(ascii: "["),
            places.last == UInt8(ascii: "]")
        else { return nil }
        let list = places.dropFirst().dropLast()
        var ids: [Int64] = []
        for digits in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let place = place(digits) else { return nil }
            ids.append(block << shift &+ 1 &+ place)
        }
        ids.sort()
        return zip(ids, ids.dropFirst()).allSatisfy { $0 != $1 } ? ids : nil
    }

    /// A place of a block, as the file has it.
    private static func place(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            let place = Int64(String(decoding: digits, as: UTF8.self)), place >> shift == 0
        else { return nil }
        return place
    }
}
