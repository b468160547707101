import ProxydCaptureModel
import ProxydTestSupport
import Testing

struct ValueHistogramTests {
    /// Values of all magnitudes: their numbers of bits are even, not the values.
    private func values(_ count: Int, seed: UInt64) -> [Int64] {
        var random = SplitMix(seed: seed)
        return (0..<count).map { _ in
            let bits = Int64.random(in: 1..<64, using: &random)
            return Int64(bitPattern: random.next() >> 1) >> (63 - bits)
        }
    }

    private func histogram(_ values: [Int64]) -> ValueHistogram {
        values.reduce(into: ValueHistogram()) { $0.add($1) }
    }

    @Test func `a percentile of a value histogram is within 0.8 % of the exact value`() {
        for (seed, count) in [1, 2, 7, 100, 5_000].enumerated() {
            let values = values(count, seed: UInt64(seed)).sorted()
            let found = histogram(values)
            for share in stride(from: 0.0, through: 1, by: 0.01) {
                let rank = max(1, Int((share * Double(count)).rounded(.up)))
                let exact = Double(values[rank - 1])
                let percentile = Double(found.percentile(share) ?? -1)
                #expect(abs(percentile - exact) <= exact * 0.008 + 0.5, "\(count) at \(share)")
            }
        }
    }

    @Test func `the count, minimum, maximum, sum and mean of a value histogram are exact`() {
        let values = (0..<1_000).map { Int64($0) * 7 }
        let found = histogram(values.shuffled())
        #expect(found.count == 1_000)
        #expect(found.least == 0)
        #expect(found.largest == 6_993)
        #expect(found.sum == 6_993 * 500)
        #expect(found.mean == 3_496)
    }

    @Test func `a higher percentile of a value histogram is never smaller than a lower one`() {
        let found = histogram(values(1_000, seed: 9))
        let percentiles = stride(from: 0.0, through: 1, by: 0.001).compactMap(found.percentile)
        #expect(percentiles.count == 1_001)
        #expect(percentiles == percentiles.sorted())
        #expect(percentiles.last == found.largest)
    }

    @Test func `a value histogram without values has no percentile and no mean`() {
        #expect(ValueHistogram().percentile(0.5) == nil)
        #expect(ValueHistogram().mean == nil)
    }

    @Test func `a value histogram counts negative values as 0 and saturates its sum`() {
        let found = histogram([-5, .min, .max, .max])
        #expect(found.least == 0)
        #expect(found.largest == .max)
        #expect(found.sum == .max)
        #expect(found.percentile(0.25) == 0)
        #expect(found.percentile(0.99) == .max)
    }

    @Test(arguments: [-1.0, 2, .infinity])
    func `a histogram percentile below 0 % is the minimum, and one above 100 % is the maximum`(
        share: Double
    ) {
        let found = histogram([3, 90])
        #expect(found.percentile(share) == (share < 0 ? 3 : 90))
    }
}
