internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Sends a request, follows its redirects and challenges, and receives the response.
struct RequestSender {
    private let handle: any ClientRequest
    private let core: RequestCore
    private let host: any RequestHost

    init(_ handle: any ClientRequest) {
        self.handle = handle
        core = handle.core
        host = handle.core.host
    }

    private struct Call {
        let transport: any TransportCall
        var record: AttemptRecord
    }

    /// Bodies of intermediate responses up to this size are read, so that the connection can be
    /// reused.
    private static let discardByteCountMax: Int64 = 64 * 1_024

    func send(_ first: HTTPRequest, into completion: inout RequestOutcome) async throws(ClientError)
    {
        var request = first
        try core.consumer?.prepare(&request)
        var followUps = FollowUpRequests(handle, first: request)
        while let next = try await hop(followUps.decorated(request), &followUps, into: &completion)
        {
            request = next
            await core.waitWhileSuspended()
        }
    }

    /// Sends one request and receives its response. Returns the request to send next, or nil if
    /// this was the last.
    private func hop(
        _ request: HTTPRequest, _ followUps: inout FollowUpRequests,
        into completion: inout RequestOutcome
    ) async throws(ClientError) -> HTTPRequest? {
        completion.request = request
        completion.response = nil
        var call = try start(request, followUps)
        var receiver: ResponseReceiver?
        do throws(ClientError) {
            let head = try await call.transport.head()
            call.record.response = head
            note(head)
            completion.response = head
            receiver = ResponseReceiver(core, call: call.transport, head: head)
            let next = try await followUps.next(after: head)
            if next != nil {
                try await receiver?.discard(byteCountMax: RequestSender.discardByteCountMax)
            } else {
                try await askHeadHandlers(about: head)
                if core.consumer?.isValidatedAtHead == true { try core.validate(completion) }
                try await receiver?.receive(into: &completion)
            }
            if let receiver { call.record.body = receiver.recorded }
            note(call)
            return next
        } catch {
            call.transport.cancel()
            call.record.error = error
            if let receiver { call.record.body = receiver.recorded }
            note(call)
            throw error
        }
    }

    // MARK: Steps

    private func start(_ request: HTTPRequest, _ followUps: FollowUpRequests) throws(ClientError)
        -> Call
    {
        let defaults = followUps.allowed(of: try host.defaults.get())
        let composed = try RequestComposer.compose(request, defaults: defaults)
        let startNs = EventLoop.monotonicNow()
        var timeline = Timeline(wallStart: EventLoop.wallNow(), start: startNs)
        timeline[.requestHead] = 0
        var outgoing = TransportRequest(
            url: request.url, head: composed.head, framing: composed.framing,
            payload: composed.payload, timeline: timeline)
        outgoing.protocols = request.protocols ?? host.configuration.protocols
        outgoing.trailers = request.trailers
        outgoing.replayOf = request.replayOf
        outgoing.upgrade = request.upgrade
        outgoing.wantsTunnel = request.wantsTunnel
        let (number, firstNs, stub) = core.change { state in
            state.lastRequest = request
            state.sentDefaults = defaults
            state.lastResponse = nil
            return (state.attempts.count + 1, state.startNs, state.transport)
        }
        let limits = request.timeouts ?? host.configuration.timeouts
        outgoing.connectTimeoutNs = limits.connect.nanoseconds
        outgoing.idleTimeoutNs = limits.idle.nanoseconds
        outgoing.deadlineNs = limits.deadlineNs(from: firstNs)
        if composed.framing.hasBytes, composed.head.fields.expectsContinue {
            outgoing.continueTimeoutNs = limits.continueWait.nanoseconds
        }
        outgoing.eagerByteCount = eagerByteCount
        outgoing.onSent = uploadObserver(of: composed)
        core.emit(.willSend(composed.head, attempt: number))
        let record = AttemptRecord(
            number: number, url: request.url, head: composed.head, payload: composed.payload,
            trailers: request.trailers, replayOf: request.replayOf,
            upgrade: request.upgrade, report: TransportReport(timeline: timeline))
        let call = (stub ?? host.transport).start(outgoing)
        core.consumer?.begin(over: call)
        return Call(transport: call, record: record)
    }

    /// How many bytes of a body to wait for together with its head: a body that is collected in
    /// memory anyway is passed on in one piece.
    private var eagerByteCount: Int {
        if core.wantsHeadAtOnce { return 0 }
        return core.consumer == nil ? 1 << 20 : 64 * 1_024
    }

    private func uploadObserver(
        of composed: RequestComposer.Composed
    ) -> (@Sendable (Int64) -> Void)? {
        guard core.reportsUploadProgress, composed.framing != .none else { return nil }
        let total: Int64? =
            if case .exactly(let count) = composed.framing { Int64(clamping: count) } else { nil }
        return { [handle] count in
            handle.core.noteUpload(
                TransferProgress(completedByteCount: count, totalByteCount: total))
        }
    }

    private func note(_ head: ResponseHead) {
        core.change { $0.lastResponse = head }
        core.emit(.didReceive(head))
    }

    private func note(_ call: Call) {
        var record = call.record
        record.report = call.transport.report
        core.change { $0.attempts.append(record) }
        core.emit(.didCompleteAttempt(record.report.timeline, error: record.error))
    }

    private func askHeadHandlers(about head: ResponseHead) async throws(ClientError) {
        for handler in core.read(\.headHandlers) {
            let disposition = try await core.ask(in: .receive) { await handler(head) }
            guard disposition == .cancel else { continue }
            let error = ClientError(.explicitlyCancelled, phase: .receive)
            core.cancel(handle, with: error)
            throw error
        }
    }
}

extension BodyLength {
    fileprivate var hasBytes: Bool {
        switch self {
        case .none, .exactly(0): false
        case .exactly, .chunked, .untilClose: true
        }
    }
}
