/// Which shipper delivered which numbers of a store. A store that was restored from a backup goes
/// on as another shipper, because it uses numbers again.
package struct ShipperLineage: Sendable, Hashable {
    /// A shipper, and the number after which numbers are its own.
    package struct Generation: Sendable, Hashable {
        /// The number of the shipper.
        package let shipper: Int64
        /// The last number that an earlier shipper delivered.
        package let after: Int64

        /// Creates a generation.
        package init(shipper: Int64, after: Int64) {
            self.shipper = shipper
            self.after = after
        }
    }

    private let generations: [Generation]

    /// Creates a lineage from its generations, the latest first.
    package init(_ generations: [Generation]) { self.generations = generations }

    /// The shipper that delivers now.
    var current: Int64 { generations.first?.shipper ?? 0 }

    /// The shipper that delivered a number.
    func shipper(of number: Int64) -> Int64 {
        generations.first { number > $0.after }?.shipper ?? generations.last?.shipper ?? 0
    }

    /// The number of an exchange in the central store.
    package func id(of number: Int64) -> Int64 {
        CentralID.id(shipper: shipper(of: number), number: number)
    }

    /// The ranges in the central store of a range of numbers.
    func ids(of numbers: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        var last = numbers.upperBound
        for generation in generations where last >= numbers.lowerBound {
            let isOldest = generation == generations.last
            let first =
                isOldest ? numbers.lowerBound : max(numbers.lowerBound, generation.after + 1)
            guard first <= last else { continue }
            ranges.append(
                CentralID.id(
                    shipper: generation.shipper, number: first)...CentralID.id(
                        shipper: generation.shipper, number: last))
            last = first - 1
        }
        return ranges
    }
}
