internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Asks the retriers of a request what to do about a failure.
struct RetryDecision {
    private let core: RequestCore

    init(_ core: RequestCore) { self.core = core }

    /// What was decided.
    enum Outcome: Sendable {
        /// The request is sent again.
        case retry
        /// It fails, with this error.
        case fail(ClientError)
    }

    /// Asks, and waits for as long as the retrier wants before it says that the request is sent
    /// again.
    func decide(after failure: ClientError) async -> Outcome {
        let (phase, advisers) = core.read { ($0.phase, $0.advisers) }
        guard phase != .cancelled, !advisers.isEmpty else { return .fail(failure) }
        if let deadlineNs = core.deadlineNs, deadlineNs <= EventLoop.monotonicNow() {
            return .fail(failure)
        }
        for adviser in advisers {
            let result: RetryResult
            do {
                result = try await TotalLimit.hold(core.deadlineNs) {
                    await adviser.retry(failure)
                }
            } catch {
                // Cancelled while the retrier was asked: the error stays the cancellation's.
                return .fail(error is TotalLimit ? TotalLimit.error(dueTo: failure) : failure)
            }
            switch result {
            case .retry: return await begin(after: .zero, failure)
            case .retryWithDelay(let delay): return await begin(after: delay, failure)
            case .doNotRetry: continue
            case .doNotRetryWithError(let other):
                return .fail(.wrapping(other, as: .requestRetryFailed))
            }
        }
        return .fail(failure)
    }

    private func begin(after delay: Duration, _ error: ClientError) async -> Outcome {
        if let deadlineNs = core.deadlineNs {
            let (end, isFar) = EventLoop.monotonicNow().addingReportingOverflow(delay.nanoseconds)
            // Nothing can come of the pause: there is no point in waiting for its end.
            guard !isFar, end < deadlineNs else {
                return .fail(TotalLimit.error(dueTo: error))
            }
        }
        let count = core.change { state in
            state.retryCount += 1
            return state.retryCount
        }
        core.emit(.isRetrying(retryCount: count, delay: delay))
        if delay > .zero {
            // Cancelled while it waits: the error stays the cancellation's.
            guard (try? await Task.sleep(for: delay)) != nil else { return .fail(error) }
        }
        await core.waitWhileSuspended()
        let isWanted = core.change { state in
            guard state.phase != .cancelled else { return false }
            state.error = nil
            return true
        }
        return isWanted ? .retry : .fail(error)
    }
}
