/// Finds the entries of an encoder's dynamic table by hash. Entries are numbered in the order in
/// which they are added. If an entry's number is too old for the table, it has been evicted, and so
/// have all that follow it in its chain.
struct HPACKEncoderIndex: Sendable {
    private struct Link {
        var hash: UInt32 = 0
        var nameHash: UInt32 = 0
        /// The number of the previous entry in the chain.
        var previous: UInt32 = 0
        /// The number of the previous entry in the chain of names.
        var previousName: UInt32 = 0
    }

    private static let chainCount = 64

    /// The link of an entry is at the low bits of its number.
    private var links: [Link] = []
    /// The newest entry of each chain, followed by that of each chain of names.
    private var newest: [UInt32] = []

    /// The allocated memory in bytes.
    var allocatedByteCount: Int {
        links.capacity &* MemoryLayout<Link>.stride
            &+ newest.capacity &* MemoryLayout<UInt32>.stride
    }

    private static func chain(_ hash: UInt32) -> Int { Int(hash) & (chainCount &- 1) }
    private static func nameChain(_ hash: UInt32) -> Int { chain(hash) &+ chainCount }
    private func place(_ number: UInt32) -> Int {
        Int(number) & (links.count &- 1)
    }

    /// Returns the index of the newest entry with a name and a value, or nil.
    func index(
        of name: Span<UInt8>, _ value: Span<UInt8>, hash: UInt64, in table: HPACKDynamicTable
    ) -> Int? {
        guard table.count > 0 else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Self.chain(hash)]
        var lastAge = -1
        while let (entry, start, age) = entry(number, in: table), age > lastAge {
            let link = links[place(number)]
            let bytes = table.bytes.span
            if link.hash == hash,
                ByteScan.areEqual(bytes.extracting(entry.valueRange(at: start)), value),
                ByteScan.areEqual(bytes.extracting(entry.nameRange(at: start)), name)
            {
                return HPACKStaticTable.count &+ 1 &+ age
            }
            number = link.previous
            lastAge = age
        }
        return nil
    }

    /// Returns the index of the newest entry with a name, or nil.
    func index(of name: Span<UInt8>, hash: UInt64, in table: HPACKDynamicTable) -> Int? {
        guard table.count > 0 else { return nil }
        let hash = UInt32(truncatingIfNeeded: hash)
        var number = newest[Self.nameChain(hash)]
        var lastAge = -1
        while let (entry, start, age) = entry(number, in: table), age > lastAge {
            let link = links[place(number)]
            let range = entry.nameRange(at: start)
            if link.nameHash == hash, ByteScan.areEqual(table.bytes.span.extracting(range), name) {
                return HPACKStaticTable.count &+ 1 &+ age
            }
            number = link.previousName
            lastAge = age
        }
        return nil
    }

    /// Returns the entry with a number unless it was evicted. Numbers wrap around, so a chain to
    /// which no entry has been added for a long time may lead to a newer entry; the search stops
    /// there.
    @inline(__always)
    private func entry(
        _ number: UInt32, in table: HPACKDynamicTable
    ) -> (entry: HPACKEntry, start: Int, age: Int)? {
        let age = Int(table.addedCount &- number)
        return table.entry(ofAge: age).map { ($0.entry, $0.start, age) }
    }

    /// Adds the entry that was just added to a table.
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

    /// Doubles the number of slots; the entries in the table keep their numbers.
    private mutating func grow(_ table: HPACKDynamicTable) {
        var grown = [Link](repeating: Link(), count: max(16, links.count &* 2))
        for age in 1..<table.count {
            let number = table.addedCount &- UInt32(truncatingIfNeeded: age)
            grown[Int(number) & (grown.count &- 1)] = links[place(number)]
        }
        links = grown
    }
}
