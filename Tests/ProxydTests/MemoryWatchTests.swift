import Testing

@testable import proxyd

@Suite struct `When memory is given back` {
    private static let mebibyte: Int64 = 1 << 20

    /// What is left after each look, in MiB: the next of `leaving` where memory is given back, all
    /// of it once there are no more of them; nil where nothing is given back.
    private func looks(_ residents: [Int64], leaving: [Int64]) -> [Int64?] {
        var watch = MemoryWatch(residentByteCount: 30 * Self.mebibyte)
        var rest = leaving[...]
        return residents.map { resident in
            guard watch.isDue(residentByteCount: resident * Self.mebibyte) else { return nil }
            let left = rest.popFirst() ?? resident
            watch.noteGivenBack(residentByteCount: left * Self.mebibyte)
            return left
        }
    }

    @Test func `little growth is left alone`() {
        #expect(looks([31, 36, 38, 33, 38], leaving: []) == [nil, nil, nil, nil, nil])
    }

    @Test func `growth is given back, counted from the least there was`() {
        #expect(looks([25, 34, 30], leaving: [29]) == [nil, 29, nil])
    }

    @Test func `what a burst left is given back once it is over, until there is no more`() {
        let residents: [Int64] = [60, 64, 55, 55, 40, 40, 40]
        #expect(looks(residents, leaving: [58, 40]) == [58, nil, nil, 40, 40, nil, nil])
    }

    @Test func `where nothing can be given back in the middle of a burst it is behind it`() {
        let residents: [Int64] = [60, 66, 66, 40, 40]
        #expect(looks(residents, leaving: [60, 40]) == [60, nil, 40, 40, nil])
    }
}
