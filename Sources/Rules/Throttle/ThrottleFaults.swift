internal import Foundation

/// What goes wrong on a line, and when: drawn from a seed, so that runs repeat.
struct ThrottleFaults: Sendable {
    /// Where a flow ends before its time.
    struct End: Sendable {
        /// How many bytes pass before.
        let byteCount: Int64
        let kind: ThrottleArrival.Kind
    }

    /// The bytes that `fail_per_10k` counts by.
    private static let failureByteCount = 10_240.0
    /// What no piece's number reaches: what is drawn with it is the flow's own.
    private static let flowNumber = UInt64.max

    private let stallChance: Double
    private let failureChance: Double
    private let cutAfter: Int64?
    private let seed: UInt64
    let stallNs: Int64

    /// - Parameter seed: What is drawn depends on it, on the flow's number and the piece's alone.
    init(_ profile: ThrottleProfile, seed: UInt64) {
        stallChance = ThrottleFaults.chance(profile.stallPercent)
        failureChance = ThrottleFaults.chance(profile.failPer10k)
        cutAfter = profile.cutAfter.map { max(0, $0) }
        stallNs = profile.stallNs
        self.seed = seed
    }

    private static func chance(_ percent: Double) -> Double {
        let range = ThrottleProfile.percentRange
        // What is no number compares with nothing, and is no chance.
        return percent > 0 ? min(percent, range.upperBound) / 100 : 0
    }

    /// Whether a piece stalls: the flow's number on its line, and the piece's in its flow.
    func stalls(_ piece: Int, of flow: Int) -> Bool {
        stallChance > 0 && draw(flow, UInt64(truncatingIfNeeded: piece)) < stallChance
    }

    /// Where a flow ends early; nil where it does not.
    ///
    /// A piece of n bytes shall fail with 1 − r^(n/10,240), where r is the chance that 10 KiB pass.
    /// As what came before does not matter, this draws the byte at which it does at once: the same
    /// one however the bytes are cut into pieces.
    func end(of flow: Int) -> End? {
        let cut = cutAfter.map { End(byteCount: $0, kind: .cut) }
        guard failureChance > 0 else { return cut }
        let pass = 1 - failureChance
        let survived = 1 - draw(flow, ThrottleFaults.flowNumber)
        let bytes = pass > 0 ? ThrottleFaults.failureByteCount * log(survived) / log(pass) : 0
        let failure = End(byteCount: Int64(min(bytes, 1e18)), kind: .failure)
        guard let cut, cut.byteCount <= failure.byteCount else { return failure }
        return cut
    }

    /// A number from 0 to below 1, as SplitMix64 mixes it.
    private func draw(_ flow: Int, _ number: UInt64) -> Double {
        let mixed = ThrottleFaults.mixed(
            ThrottleFaults.mixed(seed &+ UInt64(truncatingIfNeeded: flow)) &+ number)
        return Double(mixed >> 11) / Double(1 << 53)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
