import Testing

@testable import ProxydCentralStore

/// Which shipper delivered which numbers of a store.
@Suite struct ShipperLineageTests {
    private func lineage(_ generations: [(Int64, Int64)]) -> ShipperLineage {
        ShipperLineage(
            generations.map { ShipperLineage.Generation(shipper: $0.0, after: $0.1) })
    }

    @Test(
        arguments: [
            (1, 1), (10, 1), (11, 4), (20, 4), (21, 6), (17_179_869_183, 6),
        ] as [(Int64, Int64)])
    func `an exchange number belongs to the latest shipper that starts below that number`(
        number: Int64, shipper: Int64
    ) {
        let lineage = lineage([(6, 20), (4, 10), (1, 0)])
        #expect(lineage.current == 6)
        #expect(lineage.shipper(of: number) == shipper)
        #expect(lineage.id(of: number) == centralNumber(shipper, number))
    }

    @Test func `the oldest shipper of a store also owns the exchange numbers before its own start`()
    {
        let copy = lineage([(5, 30)])
        #expect(copy.id(of: 30) == centralNumber(5, 30))
        #expect(copy.ids(of: 1...31) == [centralNumber(5, 1)...centralNumber(5, 31)])
    }

    @Test func `after two restores to the same point, the first restore's shipper owns no numbers`()
    {
        let lineage = lineage([(6, 10), (4, 10), (1, 0)])
        #expect(lineage.shipper(of: 11) == 6)
        let expected = [
            centralNumber(6, 11)...centralNumber(6, 12), centralNumber(1, 9)...centralNumber(1, 10),
        ]
        #expect(lineage.ids(of: 9...12) == expected)
    }

    @Test
    func `restoring to a point before an earlier restore hides that restore's exchange numbers`() {
        let lineage = lineage([(6, 5), (4, 10), (1, 0)])
        #expect(lineage.shipper(of: 12) == 6)
        let expected = [
            centralNumber(6, 6)...centralNumber(6, 12), centralNumber(1, 5)...centralNumber(1, 5),
        ]
        #expect(lineage.ids(of: 5...12) == expected)
    }

    @Test(
        arguments: [
            (1...10, [1]), (11...20, [4]), (21...21, [6]), (20...21, [6, 4]), (1...99, [6, 4, 1]),
            (0...0, [1]),
        ] as [(ClosedRange<Int64>, [Int64])])
    func `a range of exchange numbers is split among shippers without gaps or overlaps`(
        range: ClosedRange<Int64>, shippers: [Int64]
    ) {
        let lineage = lineage([(6, 20), (4, 10), (1, 0)])
        let found = lineage.ids(of: range)
        #expect(found.map { $0.lowerBound >> 34 } == shippers)
        #expect(found.map { $0.upperBound >> 34 } == shippers)
        let numbers = found.flatMap { $0.map { $0 & 17_179_869_183 } }.sorted()
        #expect(numbers == Array(range))
    }

    @Test func `an unbounded range of exchange numbers ends at the largest possible number`() {
        let lineage = lineage([(2, 10), (1, 0)])
        let expected = [
            centralNumber(2, 11)...centralNumber(2, 17_179_869_183),
            centralNumber(1, 0)...centralNumber(1, 10),
        ]
        #expect(lineage.ids(of: 0...Int64.max) == expected)
    }
}
