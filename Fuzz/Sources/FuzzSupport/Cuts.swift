/// Cuts bytes into the pieces that a connection might deliver.
public enum Cuts {
    /// As many cuts as show what cutting does. What lies behind them comes in pieces of this size
    /// too: a million bytes one by one would take seconds and show no more.
    private static let shortPieceCountMax = 4096

    /// Pieces that join to `bytes`. A choice of zero gives single bytes, any other pieces of
    /// one to `choice` bytes that follow from it; the first 4,096 of them, then longer ones.
    ///
    /// Each is an array of its own, so that a look beyond its end is one beyond an allocation.
    public static func pieces(of bytes: some Collection<UInt8>, choice: UInt8) -> [[UInt8]] {
        var random = SplitMix(seed: UInt64(choice))
        var rest = bytes[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let isShort = pieces.count < shortPieceCountMax
            let shortCount = choice == 0 ? 1 : 1 + Int(random.next() % UInt64(choice))
            let count = isShort ? shortCount : shortPieceCountMax
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}

/// A generator with one sequence for each seed.
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
