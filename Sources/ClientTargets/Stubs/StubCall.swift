internal import ProxydSystem
internal import ProxydHTTPModel
internal import Synchronization
internal import ClientLib

/// One request that a sample answers.
final class StubCall: TransportCall {
    private struct State {
        var report: TransportReport
        var body: [UInt8] = []
        var isCancelled = false
        var pause: Task<Void, any Error>?
    }

    private let stub: StubTransport
    private let sentByteCount: Int64
    private let onSent: (@Sendable (Int64) -> Void)?
    private let state: Mutex<State>

    init(_ request: TransportRequest, stub: StubTransport) {
        self.stub = stub
        onSent = request.onSent
        // Streams are not opened, because nothing would read them.
        sentByteCount =
            if case .bytes(let bytes) = request.payload { Int64(bytes.count) } else { 0 }
        state = Mutex(State(report: TransportReport(timeline: request.timeline)))
    }

    var report: TransportReport { state.withLock { $0.report } }

    func head() async throws(ClientError) -> ResponseHead {
        if sentByteCount > 0 { onSent?(sentByteCount) }
        try await pause()
        let answer = try stub.sample.answer()
        let now = SystemClock.monotonicNow()
        state.withLock { state in
            state.report.sentByteCount = sentByteCount
            state.report.informational = answer.informational
            state.report.trailers = answer.trailers
            for moment in [Moment.responseFirstByte, .responseHead, .responseLastByte] {
                state.report.timeline.mark(moment, at: now)
            }
            state.body = answer.body
        }
        return answer.head
    }

    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? {
        let (body, isCancelled) = state.withLock { state in
            defer { state.body = [] }
            return (state.body, state.isCancelled)
        }
        if isCancelled { throw ClientError(.explicitlyCancelled) }
        return body.isEmpty ? nil : body
    }

    func cancel() {
        let pause = state.withLock { state in
            state.isCancelled = true
            return state.pause
        }
        pause?.cancel()
    }

    private func pause() async throws(ClientError) {
        guard stub.delay > .zero else { return }
        let (clock, delay) = (stub.clock, stub.delay)
        let pause = Task { try await clock.sleep(for: delay) }
        let isCancelled = state.withLock { state in
            state.pause = pause
            return state.isCancelled
        }
        if isCancelled { pause.cancel() }
        let result = await withTaskCancellationHandler {
            await pause.result
        } onCancel: {
            pause.cancel()
        }
        if case .failure = result { throw ClientError(.explicitlyCancelled) }
    }
}
