/// A set of places of a program, as bits; and what stands behind them in the text.
struct PlaceSet: Hashable, Sendable {
    private(set) var words: [UInt64]
    /// What the text goes on with behind these places.
    let next: RegexNeighbour

    /// No place of a program of that length.
    init(placeCount: Int, before next: RegexNeighbour) {
        words = Array(repeating: 0, count: (placeCount + 63) / 64)
        self.next = next
    }

    func contains(_ place: Int32) -> Bool {
        words[Int(place >> 6)] & (1 << UInt64(place & 63)) != 0
    }

    mutating func insert(_ place: Int32) { words[Int(place >> 6)] |= 1 << UInt64(place & 63) }

    /// Calls `body` with each place, in ascending order.
    func forEach(_ body: (Int32) -> Void) {
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(Int32(truncatingIfNeeded: index << 6 + rest.trailingZeroBitCount))
                rest &= rest &- 1
            }
        }
    }

    /// About how much memory it takes.
    var byteCount: Int { words.count * 8 + 48 }
}
