/// How long a program that ends is left alone: each time twice as long, until it has answered.
public struct ScriptPauses: Sendable {
    private static let firstNs: Int64 = 100_000_000
    private static let longestNs: Int64 = 30_000_000_000

    /// When it may be started, in nanoseconds of a monotonic clock.
    private var notBefore: Int64 = 0
    private var nextNs = ScriptPauses.firstNs

    /// It has not ended yet.
    public init() {}

    /// It has answered.
    public mutating func answered() { nextNs = ScriptPauses.firstNs }

    /// It has ended, or was ended because it went wrong.
    public mutating func ended(now: Int64) {
        notBefore = now &+ nextNs
        nextNs = min(nextNs * 2, ScriptPauses.longestNs)
    }

    /// How long until it may be started, in nanoseconds; 0 for now.
    public func left(now: Int64) -> Int64 { max(0, notBefore &- now) }
}
