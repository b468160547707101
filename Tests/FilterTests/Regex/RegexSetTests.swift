import Testing

@testable import ProxydFilter

/// Sets of scalars and bytes, of which classes of regular expressions are made.
@Suite struct RegexSetTests {
    @Test func `a set of Unicode scalars sorts and merges its ranges and drops surrogates`() {
        #expect(ScalarSet([5...9, 1...3, 4...4]).ranges == [1...9])
        #expect(ScalarSet([1...3, 5...9]).ranges == [1...3, 5...9])
        #expect(ScalarSet([0xD000...0xE000]).ranges == [0xD000...0xD7FF, 0xE000...0xE000])
        #expect(ScalarSet([0xD800...0xDFFF]).ranges == [])
    }

    @Test(
        arguments: [
            [], [0...0x10FFFF], [0x41...0x5A], [0...9], [0x10FFFE...0x10FFFF], [1...3, 7...7],
            [0xD7FF...0xD7FF], [0xE000...0xFFFF],
        ] as [[ClosedRange<UInt32>]])
    func `inverting a set of Unicode scalars twice gives the original set`(
        ranges: [ClosedRange<UInt32>]
    ) {
        let set = ScalarSet(ranges)
        #expect(set.inverted.inverted == set)
        for value: UInt32 in [0, 2, 9, 0x41, 0x5B, 0xD7FF, 0xE000, 0x10FFFF] {
            let isIn = set.ranges.contains { $0.contains(value) }
            #expect(set.inverted.ranges.contains { $0.contains(value) } != isIn, "\(value)")
        }
    }

    @Test
    func `case folding of a set of Unicode scalars adds only the other case of ASCII letters`() {
        #expect(ScalarSet([0x61...0x62]).foldingASCIICase.ranges == [0x41...0x42, 0x61...0x62])
        #expect(ScalarSet([0x40...0x41]).foldingASCIICase.ranges == [0x40...0x41, 0x61...0x61])
        #expect(ScalarSet([0xC9...0xC9]).foldingASCIICase.ranges == [0xC9...0xC9])
    }

    @Test func `a set of Unicode scalars reports a single element only if it has exactly one`() {
        #expect(ScalarSet("a").single == 0x61)
        #expect(ScalarSet([0x61...0x62]).single == nil)
        #expect(ScalarSet([1...1, 3...3]).single == nil)
        #expect(ScalarSet().single == nil)
    }

    @Test func `a byte set contains exactly the bytes that were inserted`() {
        var set = ByteSet()
        #expect(set.isEmpty)
        let ranges: [ClosedRange<UInt8>] = [0...0, 63...64, 127...128, 191...192, 255...255]
        for range in ranges { set.insert(range) }
        for byte in UInt8.min...UInt8.max {
            #expect(set.contains(byte) == ranges.contains { $0.contains(byte) }, "\(byte)")
        }
        #expect(!set.isEmpty)
        #expect(ByteSet(0...255) == ByteSet(255...255).union(0...254))
    }
}

extension ByteSet {
    fileprivate func union(_ range: ClosedRange<UInt8>) -> ByteSet {
        var set = self
        set.insert(range)
        return set
    }
}
