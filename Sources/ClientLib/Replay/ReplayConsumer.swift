internal import ProxydHTTPModel
internal import Synchronization

/// Compares a replay's body with the original's while it comes, and keeps nothing of it.
final class ReplayConsumer: BodyConsumer {
    private struct State {
        var comparison: BodyComparison?
        var byteCount: Int64 = 0
        var verdict = BodyVerdict.unknown
        var isLeft = false
    }

    private let original: Response?
    private let state = Mutex(State())

    let takesCodedBytes = true
    // A stream that lasts is seen in the store while it runs.
    let wantsPiecesAtOnce = true

    init(original: Response?) { self.original = original }

    /// Bytes that came, content codings kept, and how they compare.
    var outcome: (byteCount: Int64, verdict: BodyVerdict) {
        state.withLock { ($0.byteCount, $0.verdict) }
    }

    /// Notes that no more is wanted.
    func leave() { state.withLock { $0.isLeft = true } }

    /// Whether no more was wanted before the end.
    var isLeft: Bool { state.withLock { $0.isLeft } }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {
        state.withLock { state in
            state.comparison = original.map { BodyComparison($0, with: head) }
        }
    }

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        state.withLock { state in
            state.byteCount += Int64(bytes.count)
            state.comparison?.take(bytes)
        }
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {
        state.withLock { $0.verdict = $0.comparison?.finish() ?? .unknown }
    }
}
