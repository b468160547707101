internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Asks a request's retriers what to do about a failure.
struct RetryDecision {
    private let core: RequestCore

    init(_ core: RequestCore) { self.core = core }

    /// The decision of the retriers.
    enum Outcome: Sendable {
        /// The request is sent again.
        case retry
        /// It fails, with this error.
        case fail(ClientError)
    }

    /// Asks the retriers, and waits for their delay before it returns a retry.
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
                // Cancelled while the retrier was deciding: the error remains that of the
                // cancellation.
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
            // The deadline falls within the delay, so there is no point in waiting.
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
            // Cancelled during the delay: the error remains that of the cancellation.
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
