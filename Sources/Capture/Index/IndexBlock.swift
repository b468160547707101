internal import ProxydCaptureModel

/// How the index file stores the exchanges that share a value (a host or a status): one row for
/// each block of 1,024 exchange numbers, with their offsets in the block as a JSON array. Most
/// exchanges share both values with many others, and one row per exchange would cost more than
/// recording it.
enum IndexBlock {
    private static let shift: Int64 = 10

    /// The block that contains an exchange number. Exchange numbers start at 1.
    static func block(of id: Int64) -> Int64 { (id &- 1) >> shift }

    /// The exchange number, in SQL, from a row's `block` and an offset returned by `json_each`.
    static let exchangeID = "(block << \(shift)) + 1 + place.value"

    /// Passes ascending exchange numbers on block by block, with the offsets as the file stores
    /// them.
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

    /// The exchange numbers of a block, ascending, or nil if the stored offsets are damaged.
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

    /// Parses one offset of a block as the file stores it.
    private static func place(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            let place = Int64(String(decoding: digits, as: UTF8.self)), place >> shift == 0
        else { return nil }
        return place
    }
}
