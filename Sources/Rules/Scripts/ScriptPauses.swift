/// How long to wait before restarting a program that ended: doubles each time, until it has
/// answered.
public struct ScriptPauses: Sendable {
    private static let firstNs: Int64 = 100_000_000
    private static let longestNs: Int64 = 30_000_000_000

    /// The earliest time of the next start, in nanoseconds of a monotonic clock.
    private var notBefore: Int64 = 0
    private var nextNs = ScriptPauses.firstNs

    /// Creates pauses for a program that has not ended yet.
    public init() {}

    /// Resets the pause after an answer.
    public mutating func answered() { nextNs = ScriptPauses.firstNs }

    /// Sets the pause after the program ended, or was ended because of an error.
    public mutating func ended(now: Int64) {
        notBefore = now &+ nextNs
        nextNs = min(nextNs * 2, ScriptPauses.longestNs)
    }

    /// How long until the program may be started, in nanoseconds; 0 for now.
    public func left(now: Int64) -> Int64 { max(0, notBefore &- now) }
}
