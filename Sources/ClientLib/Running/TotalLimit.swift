internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The limit for the whole of a request ran out.
struct TotalLimit: Error {
    /// What a request fails with that was about to be sent again because of another failure.
    static func error(dueTo failure: ClientError) -> ClientError {
        ClientError(.timedOut(.total), attempt: failure.attempt, underlying: failure)
    }

    /// Runs what others wrote, for as long as the limit allows (nil: for ever) and the task is not
    /// cancelled. They are cancelled then, and not waited for: they may be deaf to it.
    /// - Throws: `TotalLimit`, `CancellationError`, and what `body` throws.
    static func hold<Value: Sendable>(
        _ deadlineNs: Int64?, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let deadlineNs, EventLoop.monotonicNow() >= deadlineNs { throw TotalLimit() }
        let (outcomes, first) = AsyncStream.makeStream(
            of: Result<Value, any Error>.self, bufferingPolicy: .bufferingOldest(1))
        let work = Task {
            do {
                first.yield(.success(try await body()))
            } catch {
                first.yield(.failure(error))
            }
        }
        let limit = deadlineNs.map { deadlineNs in
            Task {
                do {
                    try await sleep(until: deadlineNs)
                    first.yield(.failure(TotalLimit()))
                } catch {
                    // The work was done first.
                }
            }
        }
        defer {
            work.cancel()
            limit?.cancel()
        }
        return try await withTaskCancellationHandler {
            for await outcome in outcomes { return try outcome.get() }
            throw CancellationError()
        } onCancel: {
            work.cancel()
        }
    }

    /// In hours at most: what is centuries away is more than a timer takes.
    private static func sleep(until deadlineNs: Int64) async throws {
        while case let restNs = deadlineNs &- EventLoop.monotonicNow(), restNs > 0 {
            try await Task.sleep(for: min(.nanoseconds(restNs), .seconds(3_600)))
        }
    }
}

extension RequestCore {
    /// Asks a handler about a response. One that is silent is not waited for beyond the limit, nor
    /// once the request is cancelled.
    func ask<Answer: Sendable>(
        in phase: ClientError.Phase, _ handler: @escaping @Sendable () async -> Answer
    ) async throws(ClientError) -> Answer {
        do {
            return try await TotalLimit.hold(deadlineNs, handler)
        } catch {
            let isLate = error is TotalLimit
            throw ClientError(isLate ? .timedOut(.total) : .explicitlyCancelled, phase: phase)
        }
    }

    /// When the request must be over, on the monotonic clock; nil for never.
    var deadlineNs: Int64? {
        let (request, startNs) = read { ($0.adaptedRequest, $0.startNs) }
        return (request?.timeouts ?? host.configuration.timeouts).deadlineNs(from: startNs)
    }
}

extension Timeouts {
    /// When what began at a moment must be over; nil for never.
    func deadlineNs(from startNs: Int64) -> Int64? {
        guard let total else { return nil }
        let (deadline, isFar) = startNs.addingReportingOverflow(total.nanoseconds)
        return isFar ? nil : deadline
    }
}
