internal import ProxydEventLoops
internal import ProxydProxyEngine

/// Lets the body of an answer take as long as it took when it was recorded. Confined to its loop.
final class RecordedPace: PaceActor {
    /// The duration of one piece.
    private static let pieceNs = 10_000_000.0

    private let durationNs: Double
    private let byteCount: Double
    private var goneCount = 0
    /// When `pass` was first called; nil before.
    private var startNs: Int64?

    /// - Parameters:
    ///   - durationNs: How long the body takes, in nanoseconds; 0 for no delay.
    ///   - byteCount: The size of the body in bytes.
    init(durationNs: Int64, byteCount: Int) {
        self.durationNs = Double(durationNs)
        self.byteCount = Double(byteCount)
    }

    func pass(
        _ waiting: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>
    ) {
        guard direction == .downstream, durationNs > 0, byteCount > 0 else {
            return decision.make(.go(byteCount: waiting))
        }
        let now = decision.loop.now
        let start = startNs ?? now
        startNs = start
        let share = byteCount * RecordedPace.pieceNs / durationNs
        let piece = share < Double(waiting) ? max(1, Int(share)) : waiting
        goneCount += piece
        let dueNs = durationNs * min(1, Double(goneCount) / byteCount)
        decision.loop.schedule(afterNs: max(0, start &+ Int64(dueNs) &- now)) {
            decision.make(.go(byteCount: piece))
        }
    }
}
