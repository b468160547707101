/// A small generator of random numbers that repeats itself from the same seed.
public struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    /// Begins at a seed.
    public init(seed: UInt64) { state = seed }

    /// The next one.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Array {
    /// One of the elements; the array must have some.
    public func pick(_ generator: inout SplitMix) -> Element {
        self[Int.random(in: indices, using: &generator)]
    }
}
