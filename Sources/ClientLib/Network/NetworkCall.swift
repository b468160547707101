internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// A call over the network.
///
/// ```
/// queued ──turn──▶ connecting ──▶ running ──101──▶ switched ──▶ over
///    └──cancel, limit──┴─────────────┴─────────────────┴─────────▲
/// ```
/// Sendable, although half of it is confined to a loop. Proof: `request`, `loopTransport` and
/// `mailbox` are immutable and Sendable; everything else is accessed only by members that the loop
/// transport, the exchange or work handed to the loop calls, on the loop.
final class NetworkCall: TransportCall, @unchecked Sendable {
    let request: TransportRequest
    let mailbox: ResponseBuffer
    let loopTransport: LoopTransport

    // Confined to the loop.
    enum Phase {
        case queued
        case connecting(sinceNs: Int64)
        case running
        /// The connection uses another protocol, and no longer counts towards its host's limit.
        case switched(any DuplexStream)
        case over
    }
    private(set) var phase = Phase.queued
    /// The index in the loop transport's list of watched calls; maintained by the loop transport.
    var index = -1
    private(set) var route: HostRoute?
    var exchange: ClientExchange?
    private var frames: FrameLog?
    var lastActivityNs: Int64 = 0
    var isPaused = false
    var stagedHead: ResponseHead?
    var stagedBytes: [UInt8] = []
    var known: TransportReport
    var isDeliveryDue = false
    /// The number of bytes of a body in memory that were passed on.
    var position = 0
    var isBodyComplete = false
    /// When the wait for the server's agreement to the body started, or nil if there is no wait.
    var askedNs: Int64?
    var pump: Task<Void, Never>?
    /// The task that reads the stream for an earlier attempt and may still run, and the number of
    /// attempts.
    private(set) var lastPump: Task<Void, Never>?
    private(set) var pumpNumber = 0
    /// The credentials tried on the proxy, and the answer to its last challenge.
    var proxyAttempts = AuthenticationAttempts()
    var proxyAnswer: [UInt8]?

    init(_ request: TransportRequest, loopTransport: LoopTransport) {
        self.request = request
        self.loopTransport = loopTransport
        mailbox = ResponseBuffer(
            timeline: request.timeline, wantedByteCountMax: request.eagerByteCount)
        known = TransportReport(timeline: request.timeline)
    }

    var loop: EventLoop { loopTransport.loop }
    var isOver: Bool { mailbox.isOver }

    // MARK: Called by tasks

    func head() async throws(ClientError) -> ResponseHead {
        await wait(for: request.eagerByteCount)
        if let head = try mailbox.takeHead() { return head }
        throw ClientError(.network(.closedEarly))
    }

    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? {
        await wait(for: max(1, byteCount))
        let (bytes, mustResume) = try mailbox.takeBytes()
        if mustResume { loop.execute { self.resumeReceiving() } }
        return bytes
    }

    var report: TransportReport { mailbox.report }

    func cancel() { abandon(ClientError(.explicitlyCancelled)) }

    private func wait(for byteCount: Int) async {
        let wanted = min(byteCount, mailbox.fullByteCount)
        if mailbox.hasEnough(wanted) { return }
        await withTaskCancellationHandler {
            await mailbox.wait(for: wanted)
        } onCancel: {
            cancel()
        }
    }

    /// Fails the call; may be called on any thread.
    func abandon(_ error: ClientError) {
        if mailbox.fail(error) { loop.execute { self.leave() } }
    }

    // MARK: Called on the loop

    func enter(_ route: HostRoute) {
        self.route = route
        if let deadline = request.deadlineNs { loopTransport.watch(deadline) }
    }

    /// Starts the call when its turn comes.
    func begin(over transport: HTTPTransport) {
        // From here on the call has its turn, and must pass it on in any case.
        phase = .connecting(sinceNs: loop.now)
        guard let route, !isOver else { return leave() }
        loopTransport.watch(loop.now &+ request.connectTimeoutNs)
        guard let message = outgoingMessage(over: route) else {
            return end(.failed(ClientError(.invalidRequest(.fieldOfHTTP1))))
        }
        let outgoing = OutgoingRequest(target: route.target, message: message)
        let log = request.notesFrames ? FrameLog(.timeline, startedAt: known.timeline.start) : nil
        frames = log
        let exchange = transport.send(outgoing, frames: log, delegate: self)
        self.exchange = exchange
        if request.continueTimeoutNs == nil { sendPayload(over: exchange) }
    }

    /// Sends everything again over another connection.
    func restart() {
        pump?.cancel()
        lastPump = pump ?? lastPump
        pumpNumber += 1
        pump = nil
        mailbox.wakeWriter()
        known.sentByteCount = 0
        (known.http2, known.requestHead) = (nil, nil)
        exchange = nil
        askedNs = nil
        position = 0
        isBodyComplete = false
        loopTransport.restart(self)
    }

    /// Records that a connection now carries the call.
    func didBegin() {
        phase = .running
        noteActivity()
        loopTransport.watch(lastActivityNs &+ request.idleTimeoutNs)
    }

    func noteActivity() { lastActivityNs = loop.now }

    /// Records that the connection now belongs to the call alone, whatever protocol it uses.
    func didSwitch(to stream: any DuplexStream) {
        noteMoments()
        phase = .switched(stream)
        exchange = nil
        loopTransport.giveTurn(of: self)
        stream.delegate = self
    }

    /// When the next time limit expires without progress, in nanoseconds; nil if none is running.
    var dueNs: Int64? {
        let deadline = request.deadlineNs ?? .max
        // The code that uses the other protocol enforces its own limits.
        if case .switched = phase { return nil }
        let limit: Int64 =
            switch phase {
            case .queued, .switched: .max
            case .connecting(let sinceNs): sinceNs &+ request.connectTimeoutNs
            case .running where askedNs != nil: continueDueNs
            case .running: isWaitingForUs ? .max : lastActivityNs &+ request.idleTimeoutNs
            case .over: .max
            }
        let due = min(deadline, limit)
        return due == .max ? nil : due
    }

    /// Whether progress depends on this side: no task reads the response, or the source of the
    /// request's body provides nothing.
    private var isWaitingForUs: Bool {
        isPaused || !(isBodyComplete || exchange?.isCongested == true)
    }

    func expire() {
        let isWhole = (request.deadlineNs ?? .max) <= EventLoop.monotonicNow()
        // If the server does not answer the expectation, the body is sent (RFC 9110 §10.1.1).
        if !isWhole, askedNs != nil { return sendAskedBody() }
        let error =
            switch phase {
            case .queued: ClientError(.timedOut(.total))
            case .connecting: ClientError(.timedOut(isWhole ? .total : .connect), phase: .connect)
            case .running, .switched, .over:
                ClientError(
                    .timedOut(isWhole ? .total : .idle),
                    phase: exchange?.firstByteAt == nil
                        ? (isBodyComplete ? .wait : .send) : .receive)
            }
        end(.failed(error))
        exchange?.cancel()
    }

    private func resumeReceiving() {
        guard isPaused else { return }
        switch phase {
        case .running:
            isPaused = false
            noteActivity()
            loopTransport.watch(lastActivityNs &+ request.idleTimeoutNs)
            exchange?.resumeReceiving()
        case .switched(let stream):
            isPaused = false
            stream.resumeReading()
        case .queued, .connecting, .over: break
        }
    }

    /// Moves the collected data to the mailbox.
    func deliver(_ end: ResponseBuffer.End?) {
        let isFull = mailbox.deliver(
            head: &stagedHead, bytes: &stagedBytes, report: known, end: end)
        if isFull, !isPaused {
            isPaused = true
            if case .switched(let stream) = phase {
                stream.pauseReading()
            } else {
                exchange?.pauseReceiving()
            }
        }
    }

    func end(_ end: ResponseBuffer.End) {
        if case .over = phase { return }
        noteMoments()
        known.timeline.mark(.ended, at: loop.now)
        known.frames = frames?.take(isLast: true) ?? []
        deliver(end)
        leave()
    }

    /// Passes the turn to the next call and releases all resources.
    private func leave() {
        var hadTurn = true
        switch phase {
        case .over: return
        case .queued: hadTurn = false
        case .connecting, .running: break
        case .switched(let stream):
            hadTurn = false
            if stream.isOpen { stream.close() }
        }
        phase = .over
        pump?.cancel()
        pump = nil
        if isOver { exchange?.cancel() }
        loopTransport.leave(self, hadTurn: hadTurn)
        route = nil
        exchange = nil
    }
}

/// A call whose server has switched to another protocol: bytes are passed unchanged in both
/// directions.
extension NetworkCall: DuplexStreamDelegate {
    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>
    ) {
        guard request.upgrade != nil else {
            stream.abort()
            return end(
                .failed(
                    ClientError(
                        .unsupported, phase: .receive, fault: .server,
                        message: "the server switched to another protocol")))
        }
        noteActivity()
        known.timeline.markOnce(.responseHead, at: lastActivityNs)
        noteSettings(exchange)
        didSwitch(to: stream)
        stagedHead = head
        early.withUnsafeBufferPointer { stagedBytes.append(contentsOf: $0) }
        requestDelivery()
    }

    /// The request as it is sent. If HTTP/2 is possible, another protocol is requested with
    /// extended CONNECT (RFC 8441). Nil if the request has a field that only HTTP/1 allows.
    func outgoingMessage(over route: HostRoute) -> ForwardedRequest? {
        guard let upgrade = request.upgrade,
            request.protocols.mayBeHTTP2(isSecure: request.url.scheme == "https")
        else { return loopTransport.message(of: self, over: route) }
        let head = try? RequestHead.extendedConnect(
            upgrade, to: request.url, fields: request.head.fields)
        return head.map { ForwardedRequest(verbatim: $0, url: request.url, body: .none) }
    }

    // MARK: Called by tasks

    func send(_ bytes: [UInt8]) async throws(ClientError) {
        let isHanded = await mailbox.write { loop.execute { self.write(bytes) } }
        guard isHanded else { throw mailbox.error ?? ClientError(.network(.closedEarly)) }
    }

    func post(_ bytes: [UInt8]) { loop.execute { self.write(bytes) } }

    func close() {
        loop.execute {
            guard case .switched = self.phase else { return self.cancel() }
            self.end(.complete)
        }
    }

    // MARK: Called on the loop

    private func write(_ bytes: [UInt8]) {
        guard case .switched(let stream) = phase else { return mailbox.wakeWriter() }
        stream.write(bytes)
        if !stream.isCongested { mailbox.wakeWriter() }
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { stagedBytes.append(contentsOf: $0) }
        requestDelivery()
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        known.timeline.mark(.responseLastByte, at: loop.now)
        let failure = ClientError(.network(.closedEarly), phase: .receive)
        end(isClean ? .complete : .failed(failure))
    }

    func streamDidDrain(_ stream: any DuplexStream) { mailbox.wakeWriter() }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        end(.failed(ClientError(.network(.closedEarly), phase: .receive, message: error.message)))
    }
}
