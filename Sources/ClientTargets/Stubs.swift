public import ClientLib
public import ProxydHTTPModel
internal import ProxydSystem
internal import Synchronization

/// Whether a target is answered by the network or by its sample.
public enum StubBehavior: Sendable, Hashable {
    /// The network answers.
    case never
    case immediate
    case delayed(Duration)
}

/// What a stub gives in place of a server.
public enum SampleResponse: Sendable {
    /// A status and a body.
    case networkResponse(Int, [UInt8])
    /// A head and a body. Where the head names content codings, the body is one of them.
    case response(ResponseHead, [UInt8])
    /// A failure, as if the network had failed in this way.
    case networkError(ClientError)
    /// A captured response with head, interim responses, body and trailers, or a captured failure.
    /// An exchange without either, or without its whole body, fails with `.unsupported`.
    case captured(Exchange)
}

/// The response or failure that a stub plays back.
struct StubAnswer: Sendable {
    let head: ResponseHead
    let body: [UInt8]
    var informational: [ResponseHead] = []
    var trailers: HeaderFields?
}

extension SampleResponse {
    func answer() throws(ClientError) -> StubAnswer {
        switch self {
        case .networkResponse(let status, let body):
            StubAnswer(
                head: ResponseHead(status: status, reason: "", fields: HeaderFields()), body: body)
        case .response(let head, let body): StubAnswer(head: head, body: body)
        case .networkError(let error): throw error
        case .captured(let exchange): try SampleResponse.answer(of: exchange)
        }
    }

    private static func answer(of exchange: Exchange) throws(ClientError) -> StubAnswer {
        if let failure = exchange.failure {
            throw ClientError(.network(failure.kind), message: failure.message)
        }
        guard let response = exchange.response else {
            throw ClientError(.unsupported, message: "the captured exchange has no response")
        }
        guard !response.body.isTruncated else {
            throw ClientError(
                .unsupported,
                message: "the captured body has \(response.body.byteCount) bytes, of which"
                    + " \(response.body.kept.count) were kept")
        }
        return StubAnswer(
            head: response.head, body: response.body.kept,
            informational: exchange.informational, trailers: response.trailers)
    }
}

/// A transport that answers with a sample.
struct StubTransport: ClientTransport {
    let sample: SampleResponse
    let delay: Duration
    let clock: any Clock<Duration>

    func start(_ request: TransportRequest) -> any TransportCall { StubCall(request, stub: self) }

    func shutdown() {}
}

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
