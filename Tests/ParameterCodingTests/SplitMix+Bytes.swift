import ProxydTestSupport

extension SplitMix {
    /// Up to `countMax` bytes, drawn from an alphabet.
    mutating func bytes(countMax: Int, from alphabet: [UInt8]) -> [UInt8] {
        let count = Int.random(in: 0...countMax, using: &self)
        return (0..<count).map { _ in alphabet.randomElement(using: &self) ?? 0 }
    }
}
