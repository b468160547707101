internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import Synchronization
internal import ProxydTransport

/// Exchanges bytes with a server without HTTP.
///
/// Sendable, although half of it is confined to a loop. Proof: `target`, `timeouts`,
/// `loopTransport`, `mailbox` and `isReading` are immutable and Sendable; everything else is
/// accessed only on the loop, by members that the stream or work submitted to the loop calls.
final class StreamConversation: DuplexStreamDelegate, @unchecked Sendable {
    let target: ConnectTarget
    private let timeouts: Timeouts
    private let loopTransport: LoopTransport
    private let mailbox: ResponseBuffer
    private let isReading = Atomic<Bool>(false)

    // Confined to the loop.
    private var stream: (any DuplexStream)?
    private var attempt: (any Cancellable)?
    private var limit: Timer?
    private var report: TransportReport
    private var isPaused = false
    private var stagedHead: ResponseHead?
    private var stagedBytes: [UInt8] = []

    /// The head that is put in the mailbox once the connection is established.
    private static let connected = ResponseHead(
        status: 200, reason: "connected", fields: HeaderFields())

    init(target: ConnectTarget, timeouts: Timeouts, loopTransport: LoopTransport) {
        self.target = target
        self.timeouts = timeouts
        self.loopTransport = loopTransport
        let timeline = Timeline(wallStart: EventLoop.wallNow(), start: EventLoop.monotonicNow())
        report = TransportReport(timeline: timeline)
        mailbox = ResponseBuffer(timeline: timeline)
    }

    private var loop: EventLoop { loopTransport.loop }

    // MARK: Called by tasks

    func open() async throws(ClientError) {
        loop.execute { self.begin() }
        await waiting { await self.mailbox.wait(for: 0) }
        _ = try mailbox.takeHead()
    }

    /// The next bytes, or nil after the last. Throws `.unsupported` if another task is already
    /// reading, because it would be undefined which task gets which bytes.
    func read(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? {
        guard !isReading.exchange(true, ordering: .acquiring) else {
            throw ClientError(
                .unsupported, phase: .receive, fault: .caller,
                message: "another task is reading from the stream")
        }
        defer { isReading.store(false, ordering: .releasing) }
        let wanted = min(max(1, byteCount), mailbox.fullByteCount)
        await waiting { await self.mailbox.wait(for: wanted) }
        let (bytes, mustResume) = try mailbox.takeBytes()
        if mustResume { loop.execute { self.resumeReading() } }
        return bytes
    }

    /// Sends bytes, and waits until there is room for more. Returns whether the connection is still
    /// open.
    func write(_ bytes: [UInt8]) async -> Bool {
        await waiting { await mailbox.write { loop.execute { self.send(bytes) } } }
    }

    func closeWriting() { loop.execute { self.stream?.shutdownWriting() } }

    /// Ends both directions.
    func end(_ error: ClientError) {
        if mailbox.fail(error) { loop.execute { self.letGo() } }
    }

    private func waiting<Value>(_ body: () async -> Value) async -> Value {
        await withTaskCancellationHandler {
            await body()
        } onCancel: {
            end(ClientError(.explicitlyCancelled))
        }
    }

    // MARK: Called on the loop

    private func begin() {
        guard !mailbox.isOver else { return }
        limit = loop.schedule(afterNs: timeouts.connect.nanoseconds) { [weak self] in
            self?.end(ClientError(.timedOut(.connect)))
        }
        attempt = loopTransport.connect(to: target) { [self] in connected($0) }
    }

    private func connected(_ result: Result<EstablishedConnection, ExchangeFailure>) {
        attempt = nil
        limit?.cancel()
        limit = nil
        switch result {
        case .failure(let failure):
            end(
                loopTransport.errorBeingTold
                    ?? ClientError(.network(failure.kind), message: failure.message))
        case .success(let established):
            guard !mailbox.isOver else { return established.stream.abort() }
            established.timings.write(to: &report.timeline)
            stream = established.stream
            established.stream.delegate = self
            stagedHead = StreamConversation.connected
            stagedBytes = loopTransport.earlyBytesBeingTold
            deliver(nil)
        }
    }

    private func send(_ bytes: [UInt8]) {
        guard let stream else { return mailbox.wakeWriter() }
        stream.write(bytes)
        if !stream.isCongested { mailbox.wakeWriter() }
    }

    private func resumeReading() {
        isPaused = false
        stream?.resumeReading()
    }

    private func deliver(_ end: ResponseBuffer.End?) {
        let isFull = mailbox.deliver(
            head: &stagedHead, bytes: &stagedBytes, report: report, end: end)
        if isFull, !isPaused {
            isPaused = true
            stream?.pauseReading()
        }
        if end != nil { letGo() }
    }

    private func letGo() {
        attempt?.cancel()
        attempt = nil
        limit?.cancel()
        limit = nil
        if let stream, stream.isOpen { stream.close() }
        stream = nil
    }

    // MARK: DuplexStreamDelegate

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { stagedBytes.append(contentsOf: $0) }
        deliver(nil)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        // The server may still need the bytes being written: only reading has ended.
        deliver(isClean ? .complete : .failed(ClientError(.network(.closedEarly), phase: .receive)))
    }

    func streamDidDrain(_ stream: any DuplexStream) { mailbox.wakeWriter() }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        self.stream = nil
        deliver(
            .failed(ClientError(.network(.closedEarly), phase: .receive, message: error.message)))
    }
}
