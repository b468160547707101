internal import Glibc

/// The faults of a line and when they occur: drawn from a seed, so that runs are repeatable.
struct ThrottleFaults: Sendable {
    /// Where a flow ends early.
    struct End: Sendable {
        /// How many bytes pass before the end.
        let byteCount: Int64
        let kind: ThrottleArrival.Kind
    }

    /// The number of bytes that `fail_per_10k` refers to.
    private static let failureByteCount = 10_240.0
    /// Higher than the number of any piece: a draw with it belongs to the flow as a whole.
    private static let flowNumber = UInt64.max

    private let stallChance: Double
    private let failureChance: Double
    private let cutAfter: Int64?
    private let seed: UInt64
    let stallNs: Int64

    /// - Parameter seed: The draws depend only on it and on the numbers of the flow and the piece.
    init(_ profile: ThrottleProfile, seed: UInt64) {
        stallChance = ThrottleFaults.chance(profile.stallPercent)
        failureChance = ThrottleFaults.chance(profile.failPer10k)
        cutAfter = profile.cutAfter.map { max(0, $0) }
        stallNs = profile.stallNs
        self.seed = seed
    }

    private static func chance(_ percent: Double) -> Double {
        let range = ThrottleProfile.percentRange
        // NaN fails the comparison, and means no chance.
        return percent > 0 ? min(percent, range.upperBound) / 100 : 0
    }

    /// Whether a piece stalls; `piece` is its number in the flow, `flow` the flow's number on the
    /// line.
    func stalls(_ piece: Int, of flow: Int) -> Bool {
        stallChance > 0 && draw(flow, UInt64(truncatingIfNeeded: piece)) < stallChance
    }

    /// Returns where a flow ends early, or nil if it does not.
    ///
    /// A piece of n bytes should fail with probability 1 − r^(n/10,240), where r is the probability
    /// that 10 KiB pass. Because failures are independent of earlier bytes, this draws the failing
    /// byte directly: the same one however the bytes are divided into pieces.
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

    /// Returns a number from 0 to below 1, mixed by SplitMix64.
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
