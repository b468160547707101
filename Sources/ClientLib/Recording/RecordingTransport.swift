public import ProxydHTTPModel
internal import Synchronization

extension Session {
    /// A session that records each attempt as one exchange, as proxyd would have seen it, but
    /// without a proxy. `sink` is a store's recorder or a running daemon.
    ///
    /// The first `keptBodyByteCountMax` bytes of each body are kept as they were transferred
    /// (content codings are not removed). If the sink is too slow, responses are read more slowly.
    public convenience init(
        recordingInto sink: any ExchangeSink, keptBodyByteCountMax: Int = 16 << 20,
        configuration: SessionConfiguration = .default, transport: (any ClientTransport)? = nil,
        interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: any RedirectHandler = Redirector.follow,
        eventMonitors: [any EventMonitor] = []
    ) {
        var configuration = configuration
        if let serverTrustManager { configuration.serverTrustManager = serverTrustManager }
        self.init(
            configuration: configuration,
            transport: RecordingTransport(
                transport ?? Session.makeTransport(configuration), sink: sink,
                keptBodyByteCountMax: keptBodyByteCountMax),
            interceptor: interceptor, redirectHandler: redirectHandler,
            eventMonitors: eventMonitors)
    }
}

/// A transport that records every call of another transport in a sink, as one exchange each.
public final class RecordingTransport: ClientTransport {
    private let base: any ClientTransport
    private let sink: any ExchangeSink
    private let keptBodyByteCountMax: Int
    private let connections: RecordedConnections
    private let openCalls = OpenCallRecords()

    /// Keeps at most the first `keptBodyByteCountMax` bytes of each body.
    public init(
        _ base: any ClientTransport, sink: any ExchangeSink, keptBodyByteCountMax: Int = 16 << 20
    ) {
        self.base = base
        self.sink = sink
        self.keptBodyByteCountMax = max(0, keptBodyByteCountMax)
        connections = RecordedConnections(sink: sink)
    }

    public func start(_ request: TransportRequest) -> any TransportCall {
        let record = CallRecord(
            request, sink: sink, connections: connections, keptByteCountMax: keptBodyByteCountMax)
        var request = request
        request.notesFrames = true
        if case .stream(let stream) = request.payload {
            request.payload = .stream(stream.recorded(by: record))
        }
        let call = RecordedCall(base.start(request), record: record)
        openCalls.add(call)
        return call
    }

    public func shutdown() { base.shutdown() }
}

/// A call whose response is copied to its record as it is read.
final class RecordedCall: TransportCall {
    private let base: any TransportCall
    private let record: CallRecord

    init(_ base: any TransportCall, record: CallRecord) {
        self.base = base
        self.record = record
    }

    deinit { record.abandon(base.report) }

    var isOver: Bool { record.isOver }

    func flush() { record.flush(base.report) }

    func head() async throws(ClientError) -> ResponseHead {
        do throws(ClientError) {
            let head = try await base.head()
            record.note(head, base.report)
            return head
        } catch {
            record.fail(error, base.report)
            throw error
        }
    }

    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]? {
        // While no data is requested, the loop stops reading, which slows the server down.
        await record.waitForRoom()
        do throws(ClientError) {
            guard let bytes = try await base.next(atLeast: byteCount) else {
                record.complete(base.report)
                return nil
            }
            if record.isSwitched {
                record.appendSwitched(bytes, .toClient, base.report)
            } else {
                record.appendResponse(bytes, base.report)
            }
            return bytes
        } catch {
            record.fail(error, base.report)
            throw error
        }
    }

    var report: TransportReport {
        var report = base.report
        report.exchangeID = record.id
        return report
    }

    /// Sent data is recorded first, so that it comes before the answer.
    func send(_ bytes: [UInt8]) async throws(ClientError) {
        await record.waitForRoom()
        record.appendSwitched(bytes, .toServer, base.report)
        try await base.send(bytes)
    }

    func post(_ bytes: [UInt8]) {
        record.appendSwitched(bytes, .toServer, base.report)
        base.post(bytes)
    }

    func close() {
        base.close()
        if record.isSwitched { record.complete(base.report) } else { record.abandon(base.report) }
    }

    func cancel() {
        base.cancel()
        record.abandon(base.report)
    }
}

/// Copies pieces of a request's body to a record as the network reads them.
struct RecordedBodySource: BodySource {
    private var base: any BodySource
    private let record: CallRecord

    init(_ base: any BodySource, record: CallRecord) {
        self.base = base
        self.record = record
    }

    mutating func next() async throws -> [UInt8]? {
        await record.waitForRoom()
        guard let piece = try await base.next() else {
            record.endRequest()
            return nil
        }
        record.appendRequest(piece)
        return piece
    }
}

extension BodyStream {
    /// The same body, copied to a record as it is read.
    func recorded(by record: CallRecord) -> BodyStream {
        BodyStream(byteCount: byteCount, isReplayable: isReplayable) {
            RecordedBodySource(try await open(), record: record)
        }
    }
}

/// Records long calls while they run, because an event stream is inspected long before it ends.
final class OpenCallRecords: Sendable {
    /// How long new data may wait.
    private static let interval = Duration.milliseconds(200)

    private struct Entry {
        weak var call: RecordedCall?
    }

    private struct State {
        var entries: [Entry] = []
        var isTicking = false
    }

    private let state = Mutex(State())

    /// Watches a call until it ends.
    func add(_ call: RecordedCall) {
        let mustStart = state.withLock { state in
            state.entries.append(Entry(call: call))
            defer { state.isTicking = true }
            return !state.isTicking
        }
        guard mustStart else { return }
        Task { [weak self] in
            repeat {
                try? await Task.sleep(for: OpenCallRecords.interval)
            } while self?.tick() == true
        }
    }

    /// Passes on new data; returns whether more may follow.
    private func tick() -> Bool {
        let open = state.withLock { state -> [RecordedCall] in
            let open = state.entries.compactMap(\.call).filter { !$0.isOver }
            state.entries = open.map(Entry.init)
            state.isTicking = !open.isEmpty
            return open
        }
        for call in open { call.flush() }
        return !open.isEmpty
    }
}
