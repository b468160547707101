internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The time limit for the whole request has expired.
struct TotalLimit: Error {
    /// The error of a request whose limit expired when it was about to be retried after another
    /// failure.
    static func error(dueTo failure: ClientError) -> ClientError {
        ClientError(.timedOut(.total), attempt: failure.attempt, underlying: failure)
    }

    /// Runs a caller's closure until the deadline (nil: forever) or until the task is cancelled.
    /// The closure is then cancelled too, but not awaited, because it may ignore that.
    /// - Throws: `TotalLimit`, `CancellationError`, and any error of `body`.
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
                    // The work ended first.
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

    /// Sleeps for at most hours at a time: a timer does not support centuries.
    private static func sleep(until deadlineNs: Int64) async throws {
        while case let restNs = deadlineNs &- EventLoop.monotonicNow(), restNs > 0 {
            try await Task.sleep(for: min(.nanoseconds(restNs), .seconds(3_600)))
        }
    }
}

extension RequestCore {
    /// Asks a handler about a response. Stops waiting for it when the limit expires or the request
    /// is cancelled.
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

    /// The deadline of the request on the monotonic clock, in nanoseconds; nil for none.
    var deadlineNs: Int64? {
        let (request, startNs) = read { ($0.adaptedRequest, $0.startNs) }
        return (request?.timeouts ?? host.configuration.timeouts).deadlineNs(from: startNs)
    }
}

extension Timeouts {
    /// The deadline for a start time, in nanoseconds; nil for none.
    func deadlineNs(from startNs: Int64) -> Int64? {
        guard let total else { return nil }
        let (deadline, isFar) = startNs.addingReportingOverflow(total.nanoseconds)
        return isFar ? nil : deadline
    }
}
