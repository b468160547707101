internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydMessages
internal import Synchronization

/// The record of one call; `OpenCallRecords` delivers what is new of a long one.
final class CallRecord: Sendable {
    let id: ExchangeID
    private let updates: OrderedUpdates
    private let connections: RecordedConnections
    private let keptByteCountMax: Int
    /// The protocol that the request asks to switch to, and its fields.
    private let upgrade: String?
    private let requestFields: HeaderFields
    private let state: Mutex<State>

    private struct State {
        let record: ExchangeRecord
        var informationalCount = 0
        var http2: HTTP2Facts?
        var sentHead: RequestHead?
        var serverConnection: ConnectionID?
        var hasToldHTTP2 = false
        var isOver = false
        var isSwitched = false
        /// Finds the messages of a connection that has switched to WebSocket.
        var socket: WebSocketObserver?
    }

    init(
        _ request: TransportRequest, sink: any ExchangeSink, connections: RecordedConnections,
        keptByteCountMax: Int
    ) {
        updates = OrderedUpdates(for: sink)
        self.connections = connections
        self.keptByteCountMax = keptByteCountMax
        upgrade = request.upgrade
        requestFields = request.head.fields
        let record = ExchangeRecord(
            sink: updates, clientConnection: nil, timeline: request.timeline,
            keptByteCountMax: keptByteCountMax)
        id = record.id
        record.begin(
            url: request.url, head: request.head, trailers: request.trailers,
            replayOf: request.replayOf)
        switch request.payload {
        case .none: record.endRequest(trailers: nil, at: CallRecord.now)
        case .bytes(let bytes):
            record.appendRequestBody(bytes.span, at: CallRecord.now)
            record.endRequest(trailers: nil, at: CallRecord.now)
        case .stream: break
        }
        state = Mutex(State(record: record))
    }

    private static var now: Int64 { EventLoop.monotonicNow() }

    var isOver: Bool { state.withLock { $0.isOver } }

    // MARK: Updates

    func appendRequest(_ bytes: [UInt8]) {
        change(nil) { $0.record.appendRequestBody(bytes.span, at: CallRecord.now) }
    }

    func endRequest() { change(nil) { $0.record.endRequest(trailers: nil, at: CallRecord.now) } }

    func note(_ head: ResponseHead, _ report: TransportReport) {
        change(nil) { state in
            state.record.setResponse(head)
            guard let upgrade, report.isSwitch(head) else { return }
            state.isSwitched = true
            state.record.setUpgrade(upgrade)
            if upgrade == "websocket" { beginWebSocket(head.fields, &state) }
        }
    }

    /// If the server agreed to something invalid, that is recorded first.
    private func beginWebSocket(_ fields: HeaderFields, _ state: inout State) {
        let limits = MessageLimits(keptByteCountMax: min(1 << 20, keptByteCountMax))
        let record = state.record
        state.socket = WebSocketObserver(request: requestFields, response: fields, limits: limits) {
            record.append($0, at: CallRecord.now)
        }
    }

    /// Bytes passed over a connection that has switched to another protocol.
    func appendSwitched(
        _ bytes: [UInt8], _ direction: MessageRecord.Direction, _ report: TransportReport
    ) {
        change(report) { state in
            let count = Int64(bytes.count)
            let record = state.record
            record.countRelayed(
                fromClient: direction == .toServer ? count : 0,
                fromServer: direction == .toClient ? count : 0)
            state.socket?.receive(bytes.span, direction) { record.append($0, at: CallRecord.now) }
        }
    }

    var isSwitched: Bool { state.withLock { $0.isSwitched } }

    func appendResponse(_ bytes: [UInt8], _ report: TransportReport) {
        change(report) { $0.record.appendResponseBody(bytes.span, at: CallRecord.now) }
    }

    /// Waits until the sink accepts more.
    func waitForRoom() async {
        guard updates.isCongested else { return }
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            updates.whenDrained { continuation.resume() }
        }
    }

    // MARK: Delivering

    /// Delivers what is new, if there is anything.
    func flush(_ report: TransportReport) { change(report) { $0.record.flush() } }

    func complete(_ report: TransportReport) { end(.complete, nil, report) }

    func fail(_ error: ClientError, _ report: TransportReport) {
        guard error.kind != .explicitlyCancelled else { return abandon(report) }
        end(.failed, error.exchangeFailure, report)
    }

    /// The caller does not want the rest.
    func abandon(_ report: TransportReport) {
        end(
            .failed,
            ExchangeFailure(
                origin: .client, kind: .closedEarly, message: "the client cancelled the request"),
            report)
    }

    private func end(
        _ outcome: ExchangeState, _ failure: ExchangeFailure?, _ report: TransportReport
    ) {
        var report = report
        if report.timeline[.ended] == nil {
            report.timeline[.ended] = report.timeline.totalDuration
        }
        change(report) { state in
            state.isOver = true
            let record = state.record
            if let trailers = report.trailers { record.setResponseTrailers(trailers) }
            if let fault = report.responseFault { record.setResponseFault(fault) }
            state.socket?.end { record.append($0, at: CallRecord.now) }
            let (outcome, failure) = CallRecord.ending(outcome, failure, of: state.socket)
            record.finish(outcome, failure, frames: report.frames, at: CallRecord.now)
        }
    }

    /// How an exchange ends. After both sides of a WebSocket have sent close frames, the end of the
    /// connection does not matter (RFC 6455 §7.1.1); without any, it was cut off.
    private static func ending(
        _ outcome: ExchangeState, _ failure: ExchangeFailure?, of socket: WebSocketObserver?
    ) -> (ExchangeState, ExchangeFailure?) {
        guard let socket else { return (outcome, failure) }
        if socket.isClosedCleanly { return (.complete, nil) }
        guard outcome == .complete, !socket.isClosing else { return (outcome, failure) }
        return (
            .failed,
            ExchangeFailure(
                origin: .upstream, kind: .closedEarly,
                message: "the WebSocket ended without a close frame")
        )
    }

    /// Changes the record unless it is over, and then delivers what that has made due.
    private func change(_ report: TransportReport?, _ body: (inout State) -> Void) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let report { take(report, into: &state) }
            body(&state)
        }
        updates.deliver()
    }

    private func take(_ report: TransportReport, into state: inout State) {
        let record = state.record
        var timeline = report.timeline
        if record.isRequestComplete { timeline[.requestLastByte] = report.timeline[.sendEnd] }
        record.setTimeline(timeline)
        for head in report.informational.dropFirst(state.informationalCount) {
            record.append(informational: head)
        }
        state.informationalCount = report.informational.count
        if let facts = report.http2, facts != state.http2 {
            state.http2 = facts
            record.setHTTP2 { $0 = facts }
        }
        if let head = report.requestHead, head != state.sentHead {
            state.sentHead = head
            record.setRequestHead(head)
        }
        let isMoreKnown = report.connection?.http2 != nil && !state.hasToldHTTP2
        if state.serverConnection == nil || isMoreKnown, let connection = report.connection {
            state.serverConnection = connections.id(of: connection)
            state.hasToldHTTP2 = connection.http2 != nil
            record.setServerConnection(state.serverConnection)
        }
    }
}

/// The numbers of connections in the sink. Transports count their connections from 1 on each of
/// their threads, so a connection is also identified by its addresses.
final class RecordedConnections: Sendable {
    /// More than are open at the same time; an older connection that is used again is recorded
    /// again.
    private static let knownCountMax = 4_096

    private struct Key: Hashable {
        let id: ConnectionID
        let localAddress: String
        let peerAddress: String
    }

    private let sink: any ExchangeSink
    private struct Entry {
        let id: ConnectionID
        var http2: HTTP2ConnectionFacts?
    }

    private let known = Mutex<[Key: Entry]>([:])

    init(sink: any ExchangeSink) { self.sink = sink }

    /// The number of a connection; records one that is new or about which more is known.
    func id(of connection: ConnectionRecord) -> ConnectionID {
        let key = Key(
            id: connection.id, localAddress: connection.localAddress,
            peerAddress: connection.peerAddress)
        let (id, isNews) = known.withLock { known in
            if let entry = known[key] {
                let isNews = connection.http2 != nil && connection.http2 != entry.http2
                if isNews { known[key]?.http2 = connection.http2 }
                return (entry.id, isNews)
            }
            if known.count >= RecordedConnections.knownCountMax { known = [:] }
            let id = sink.nextConnectionID()
            known[key] = Entry(id: id, http2: connection.http2)
            return (id, true)
        }
        guard isNews else { return id }
        var record = ConnectionRecord(
            id: id, side: .server, openedAt: connection.openedAt,
            peerAddress: connection.peerAddress, localAddress: connection.localAddress,
            security: connection.security)
        record.http2 = connection.http2
        sink.record(record)
        return id
    }
}

/// Keeps the updates of one call until its lock is released, because a sink may call back into the
/// call; delivers them in order, from one thread at a time.
private final class OrderedUpdates: ExchangeSink {
    private struct State {
        var waiting: [ExchangeUpdate] = []
        var isDelivering = false

        mutating func take() -> [ExchangeUpdate] {
            defer { waiting = [] }
            isDelivering = !waiting.isEmpty
            return waiting
        }
    }

    private let sink: any ExchangeSink
    private let state = Mutex(State())

    init(for sink: any ExchangeSink) { self.sink = sink }

    /// Passes on what waits, unless that is happening already: then it goes on with this too.
    func deliver() {
        var due = state.withLock { $0.isDelivering ? [] : $0.take() }
        while !due.isEmpty {
            for update in due { sink.record(update) }
            due = state.withLock { $0.take() }
        }
    }

    func record(_ update: consuming ExchangeUpdate) {
        let update = update
        state.withLock { $0.waiting.append(update) }
    }

    func nextExchangeID() -> ExchangeID { sink.nextExchangeID() }
    func nextConnectionID() -> ConnectionID { sink.nextConnectionID() }
    func record(_ connection: ConnectionRecord) { sink.record(connection) }
    var isCongested: Bool { sink.isCongested }
    func whenDrained(_ resume: @escaping @Sendable () -> Void) { sink.whenDrained(resume) }
}
