/// Finds the entries of an encoder's dynamic table by their hashes. Entries have numbers, counted
/// as they are added; one whose number is too old for the table is gone, and so are all that follow
/// it in its chain.
struct HPACKEncoderIndex: Sendable {
    private struct Link {
        var hash: UInt32 = 0
        var nameHash: UInt32 = 0
        /// The number of the entry before this one in its chain.
        var previous: UInt32 = 0
        /// The same in the chain of names.
        var previousName: UInt32 = 0
    }

    private static let chainCount = 64

    /// The entry of a number is at its low bits.
    private var links: [Link] = []
    /// The newest entries of the chains, then those of the chains of names.
    private var newest: [UInt32] = []

    /// How many bytes of memory there are.
    var allocatedByteCount: Int {
        links.capacity &* MemoryLayout<Link>.stride
            &+ newest.capacity &* MemoryLayout<UInt32>.stride
    }

    private static func chain(_ hash: UInt32) -> Int { Int(hash) & (chainCount &- 1) }
    private static func nameChain(_ hash: UInt32) -> Int { chain(hash) &+ chainCount }
    private func place(_ number: UInt32) -> Int {
        Int(number) & (links.count &- 1)
    }

    /// The index of the newest entry with a name and a value.
    func index(
        of name: Span<UInt8>, _ value: Span<UInt8>, hash: UInt64, in table: HPACKDynamicTable
    ) -> Int? {
        guard table.count > 0 else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Self.chain(hash)]
        var lastAge = -1
        while let (entry, start, age) = entry(number, in: table), age > lastAge {
            let link = links[place(number)]
            let octets = table.octets.span
            if link.hash == hash,
                OctetScan.areEqual(octets.extracting(entry.valueRange(at: start)), value),
                OctetScan.areEqual(octets.extracting(entry.nameRange(at: start)), name)
            {
                return HPACKStaticTable.count &+ 1 &+ age
            }
            number = link.previous
            lastAge = age
        }
        return nil
    }

    /// The index of the newest entry with a name.
    func index(of name: Span<UInt8>, hash: UInt64, in table: HPACKDynamicTable) -> Int? {
        guard table.count > 0 else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Self.nameChain(hash)]
        var lastAge = -1
        while let (entry, start, age) = entry(number, in: table), age > lastAge {
            let link = links[place(number)]
            let range = entry.nameRange(at: start)
            if link.nameHash == hash, OctetScan.areEqual(table.octets.span.extracting(range), name)
            {
                return HPACKStaticTable.count &+ 1 &+ age
            }
            number = link.previousName
            lastAge = age
        }
        return nil
    }

    /// The entry of a number, if it is not gone. Numbers wrap around, so that a chain which no
    /// entry joined for long may lead to a newer one: who follows it stops there.
    @inline(__always)
    private func entry(
        _ number: UInt32, in table: HPACKDynamicTable
    ) -> (entry: HPACKEntry, start: Int, age: Int)? {
        let age = Int(table.addedCount &- number)
        return table.entry(ofAge: age).map { ($0.entry, $0.start, age) }
    }

    /// Takes in the entry that was just added to a table.
    mutating func add(nameHash: UInt64, hash: UInt64, as table: HPACKDynamicTable) {
        if newest.isEmpty { newest = Array(repeating: 0, count: 2 * Self.chainCount) }
        if table.count > links.count { grow(table) }
        let number = table.addedCount
        let hash = UInt32(truncatingIfNeeded: hash)
        let nameHash = UInt32(truncatingIfNeeded: nameHash)
        let chain = Self.chain(hash)
        let nameChain = Self.nameChain(nameHash)
        links[place(number)] = Link(
            hash: hash, nameHash: nameHash, previous: newest[chain],
            previousName: newest[nameChain])
        newest[chain] = number
        newest[nameChain] = number
    }

    /// Makes twice as many places; what is in the table keeps its number.
    private mutating func grow(_ table: HPACKDynamicTable) {
        var grown = [Link](repeating: Link(), count: max(16, links.count &* 2))
        for age in 1..<table.count {
            let number = table.addedCount &- UInt32(truncatingIfNeeded: age)
            grown[Int(number) & (grown.count &- 1)] = links[place(number)]
        }
        links = grown
    }
}
