public import ClientLib
internal import ProxydHTTPModel
public import ProxydTestSupport
internal import Synchronization

/// A network of a test's own: notes what is sent and answers as told, once a gate is open.
public final class AnsweringTransport: ClientTransport {
    /// Gives the status and the body for a request and its number, from 1.
    public typealias Answer =
        @Sendable (_ request: TransportRequest, _ number: Int) -> (Int, [UInt8])

    private let answer: Answer
    private let gate: Gate
    private let log = Collector<TransportRequest>()
    /// Requests as they come.
    public let arriving: AsyncStream<Int>
    private let arrival: AsyncStream<Int>.Continuation

    /// Answers 200 and `ok` unless told otherwise; without waiting if there is no gate.
    public init(
        gate: Gate? = nil, _ answer: @escaping Answer = { _, _ in (200, Array("ok".utf8)) }
    ) {
        self.answer = answer
        self.gate = gate ?? Gate()
        if gate == nil { self.gate.open() }
        (arriving, arrival) = AsyncStream.makeStream(of: Int.self)
    }

    /// The requests that came.
    public var sent: [TransportRequest] { log.all }

    /// Notes the request and answers it.
    public func start(_ request: TransportRequest) -> any TransportCall {
        log.add(request)
        let number = log.count
        arrival.yield(number)
        return Call(request, gate: gate, answer: answer(request, number))
    }

    /// Does nothing.
    public func shutdown() {}

    private final class Call: TransportCall {
        let report: TransportReport
        private let gate: Gate
        private let status: Int
        private let body: Mutex<[UInt8]>
        private let isCancelled = Atomic<Bool>(false)

        init(_ request: TransportRequest, gate: Gate, answer: (Int, [UInt8])) {
            report = TransportReport(timeline: request.timeline)
            self.gate = gate
            status = answer.0
            body = Mutex(answer.1)
        }

        func head() async throws(ClientError) -> ResponseHead {
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                cancel()
            }
            if isCancelled.load(ordering: .relaxed) { throw ClientError(.explicitlyCancelled) }
            return ResponseHead(
                status: status, reason: "", fields: ["Content-Length": "\(body.withLock(\.count))"])
        }

        func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? {
            let bytes = body.withLock { body in
                defer { body = [] }
                return body
            }
            return bytes.isEmpty ? nil : bytes
        }

        func cancel() {
            isCancelled.store(true, ordering: .relaxed)
            gate.open()
        }
    }
}
