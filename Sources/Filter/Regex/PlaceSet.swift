/// A bit set of positions in a program, and the kind of byte that follows them in the text.
struct PlaceSet: Hashable, Sendable {
    private(set) var words: [UInt64]
    /// The kind of byte that follows in the text.
    let next: RegexNeighbour

    /// The empty set for a program of this length.
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

    /// The approximate memory use.
    var byteCount: Int { words.count * 8 + 48 }
}
