/// SplitMix64: the same octets at every run of a test.
struct RandomOctets: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Up to `countMax` octets, drawn from an alphabet.
    mutating func octets(countMax: Int, from alphabet: [UInt8]) -> [UInt8] {
        let count = Int.random(in: 0...countMax, using: &self)
        return (0..<count).map { _ in alphabet.randomElement(using: &self) ?? 0 }
    }
}
