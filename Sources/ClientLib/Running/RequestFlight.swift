internal import EventLoops
internal import HTTPModel
internal import HTTPWire

/// Sends a request, and what redirects and challenges make of it, and receives the response.
struct RequestFlight {
    private let handle: any ClientRequest
    private let core: RequestCore
    private let session: SessionCore

    init(_ handle: any ClientRequest) {
        self.handle = handle
        core = handle.core
        session = handle.core.session
    }

    /// Sends and receives.
    func fly(_ request: HTTPRequest, into completion: inout Completion) async throws(ClientError) {
        let call = try start(request)
        var record = call.record
        do throws(ClientError) {
            let head = try await call.transport.head()
            record.response = head
            note(head)
            completion.response = head
            try await receive(call, head, into: &completion, &record)
            note(record, from: call.transport)
        } catch {
            call.transport.cancel()
            record.error = error
            note(record, from: call.transport)
            throw error
        }
    }

    private struct Call {
        let transport: any TransportCall
        let record: AttemptRecord
    }

    // MARK: Steps

    private func start(_ request: HTTPRequest) throws(ClientError) -> Call {
        let composed = try RequestComposer.compose(
            request, defaults: try session.defaults.get())
        let startNs = EventLoop.monotonicNow()
        var timeline = Timeline(wallStart: EventLoop.wallNow(), start: startNs)
        timeline[.requestHead] = 0
        var outgoing = TransportRequest(
            url: request.url, head: composed.head, framing: composed.framing,
            payload: composed.payload, timeline: timeline)
        outgoing.trailers = request.trailers
        let (number, firstNs) = core.change { state in
            state.lastRequest = request
            return (state.attempts.count + 1, state.startNs)
        }
        let limits = request.timeouts ?? session.configuration.timeouts
        outgoing.connectTimeoutNs = limits.connect.nanoseconds
        outgoing.idleTimeoutNs = limits.idle.nanoseconds
        outgoing.deadlineNs = limits.total.map { firstNs &+ $0.nanoseconds }
        outgoing.eagerByteCount = 64 * 1_024
        core.emit(.willSend(composed.head, attempt: number), for: handle)
        let record = AttemptRecord(
            number: number, url: request.url, head: composed.head, payload: composed.payload,
            trailers: request.trailers, report: TransportReport(timeline: timeline))
        return Call(transport: session.transport.start(outgoing), record: record)
    }

    private func note(_ head: ResponseHead) {
        core.change { $0.lastResponse = head }
        core.emit(.didReceive(head), for: handle)
    }

    private func note(_ record: AttemptRecord, from transport: any TransportCall) {
        var record = record
        record.report = transport.report
        core.change { $0.attempts.append(record) }
        core.emit(
            .didCompleteAttempt(record.report.timeline, error: record.error), for: handle)
    }

    private func receive(
        _ call: Call, _ head: ResponseHead, into completion: inout Completion,
        _ record: inout AttemptRecord
    ) async throws(ClientError) {
        let undoing = try ContentUndoing(
            of: head, isWanted: session.configuration.decompressesResponses,
            limits: session.configuration.decodingLimits)
        var content: [UInt8] = []
        var codedByteCount: Int64 = 0
        while true {
            await core.waitWhileSuspended()
            guard let octets = try await call.transport.next(atLeast: 256 * 1_024) else { break }
            codedByteCount += Int64(octets.count)
            let piece = try undoing.content(of: octets)
            if content.isEmpty { content = piece } else { content.append(contentsOf: piece) }
            let limit = session.configuration.maximumResponseByteCount
            guard content.count <= limit else {
                throw ClientError(.responseTooLarge(limit: limit))
            }
        }
        try undoing.finish()
        record.body = undoing.isIdentity ? Body(content) : Body(byteCount: codedByteCount, kept: [])
        completion.data = content.isEmpty ? nil : content
    }
}
