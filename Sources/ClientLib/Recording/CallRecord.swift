internal import ProxydHTTPModel
internal import Synchronization

/// The data of one call that has not been passed to the sink yet.
///
/// A short call is passed on once as a whole, when it ends. A long one is passed on in pieces: when
/// one has reached 64 KiB, and at the latest when `OpenCallRecords` requests it.
final class CallRecord: Sendable {
    private static let pieceByteCount = 64 << 10

    let id: ExchangeID
    private let sink: any ExchangeSink
    private let connections: RecordedConnections
    private let keptByteCountMax: Int
    /// The protocol that the request asks to switch to, and its fields.
    private let upgrade: String?
    private let requestFields: HeaderFields
    private let state: Mutex<State>

    private struct State {
        var update: ExchangeUpdate
        var requestKept = 0
        var responseKept = 0
        var informationalCount = 0
        /// Whether the request's body is a stream, which is known only after it has been read.
        var isStreaming = false
        /// The transport's last timeline.
        var reported: Timeline
        var hasNews = true
        var http2: HTTP2Facts?
        var sentHead: RequestHead?
        var hasToldHTTP2 = false
        var isOver = false
        var messages: RecordedMessages
        /// Whether the connection has switched to another protocol.
        var isSwitched = false
    }

    init(
        _ request: TransportRequest, sink: any ExchangeSink, connections: RecordedConnections,
        keptByteCountMax: Int
    ) {
        id = sink.nextExchangeID()
        self.sink = sink
        self.connections = connections
        self.keptByteCountMax = keptByteCountMax
        var update = ExchangeUpdate(
            id: id, state: .active, timeline: request.timeline, isFirst: true)
        update.url = request.url
        update.requestHead = request.head
        update.requestTrailers = request.trailers
        update.replayOf = request.replayOf
        upgrade = request.upgrade
        requestFields = request.head.fields
        var first = State(
            update: update, reported: request.timeline,
            messages: RecordedMessages(request.head, startNs: request.timeline.start))
        switch request.payload {
        case .none: first.update.requestBody.isComplete = true
        case .bytes(let bytes):
            let kept = CallRecord.append(
                bytes, to: &first.update.requestBody, kept: &first.requestKept, keptByteCountMax)
            first.messages.receive(bytes, kept: kept, .toServer)
            first.messages.finish(.toServer, isCutShort: false)
            first.update.requestBody.isComplete = true
        case .stream: first.isStreaming = true
        }
        state = Mutex(first)
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    // MARK: Updates

    func appendRequest(_ bytes: [UInt8]) {
        change(nil) { state in
            let kept = CallRecord.append(
                bytes, to: &state.update.requestBody, kept: &state.requestKept, keptByteCountMax)
            state.messages.receive(bytes, kept: kept, .toServer)
        }
    }

    func endRequest() {
        change(nil) { state in
            state.update.requestBody.isComplete = true
            state.messages.finish(.toServer, isCutShort: false)
        }
    }

    /// The final response's head has arrived.
    func note(_ head: ResponseHead, _ report: TransportReport) {
        change(nil) { state in
            state.update.responseHead = head
            guard let upgrade, report.isSwitch(head) else { return state.messages.begin(head) }
            state.isSwitched = true
            state.update.upgradedTo = upgrade
            if upgrade == "websocket" {
                state.messages.beginWebSocket(
                    request: requestFields, response: head.fields,
                    keptByteCountMax: keptByteCountMax)
            }
        }
    }

    /// Bytes passed over a connection that has switched to another protocol.
    func appendSwitched(
        _ bytes: [UInt8], _ direction: MessageRecord.Direction, _ report: TransportReport
    ) {
        change(report) { state in
            switch direction {
            case .toServer: state.update.requestBody.byteCount &+= Int64(bytes.count)
            case .toClient: state.update.responseBody.byteCount &+= Int64(bytes.count)
            }
            state.messages.receive(bytes, direction)
        }
    }

    var isSwitched: Bool { state.withLock { $0.isSwitched } }

    func appendResponse(_ bytes: [UInt8], _ report: TransportReport) {
        change(report) { state in
            let kept = CallRecord.append(
                bytes, to: &state.update.responseBody, kept: &state.responseKept, keptByteCountMax)
            state.messages.receive(bytes, kept: kept, .toClient)
        }
    }

    /// Waits until the sink accepts more.
    func waitForRoom() async {
        guard sink.isCongested else { return }
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            sink.whenDrained { continuation.resume() }
        }
    }

    // MARK: Passing on

    /// Passes on new data, if there is any.
    func flush(_ report: TransportReport) {
        let update = state.withLock { state -> ExchangeUpdate? in
            guard !state.isOver else { return nil }
            take(report, into: &state)
            return state.hasNews ? next(&state) : nil
        }
        if let update { sink.record(update) }
    }

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
        let update = state.withLock { state -> ExchangeUpdate? in
            guard !state.isOver else { return nil }
            take(report, into: &state)
            state.isOver = true
            let (outcome, failure) = CallRecord.ending(outcome, failure, of: &state)
            state.update.state = outcome
            state.update.failure = failure
            state.update.messages += state.messages.take()
            state.update.grpcStatus = state.messages.grpcStatus
            state.update.responseTrailers = report.trailers
            state.update.responseFault = report.responseFault
            state.update.frames = report.frames
            if outcome == .complete { state.update.responseBody.isComplete = true }
            if state.update.timeline[.ended] == nil {
                state.update.timeline[.ended] = state.update.timeline.totalDuration
            }
            return state.update
        }
        if let update { sink.record(update) }
    }

    /// How an exchange ends. After both sides of a WebSocket have sent close frames, the end of the
    /// connection does not matter (RFC 6455 §7.1.1); without any, it was cut off.
    private static func ending(
        _ outcome: ExchangeState, _ failure: ExchangeFailure?, of state: inout State
    ) -> (ExchangeState, ExchangeFailure?) {
        guard state.messages.isWebSocket else {
            state.messages.finish(.toServer, isCutShort: true)
            state.messages.finish(.toClient, isCutShort: outcome != .complete)
            return (outcome, failure)
        }
        state.messages.endWebSocket()
        if state.messages.isClosedCleanly { return (.complete, nil) }
        guard outcome == .complete, !state.messages.isClosing else { return (outcome, failure) }
        return (
            .failed,
            ExchangeFailure(
                origin: .upstream, kind: .closedEarly,
                message: "the WebSocket ended without a close frame")
        )
    }

    private func change(_ report: TransportReport?, _ body: (inout State) -> Void) {
        let update = state.withLock { state -> ExchangeUpdate? in
            guard !state.isOver else { return nil }
            body(&state)
            state.hasNews = true
            let update = state.update
            let held =
                update.requestBody.appended.count + update.responseBody.appended.count
                + state.messages.heldByteCount
            guard held >= CallRecord.pieceByteCount else { return nil }
            if let report { take(report, into: &state) }
            return next(&state)
        }
        if let update { sink.record(update) }
    }

    private func take(_ report: TransportReport, into state: inout State) {
        if state.reported != report.timeline { state.hasNews = true }
        state.reported = report.timeline
        state.update.timeline = report.timeline
        if state.update.requestBody.isComplete {
            state.update.timeline[.requestLastByte] = report.timeline[.sendEnd]
        }
        if report.informational.count > state.informationalCount {
            state.update.informational += report.informational[state.informationalCount...]
            state.informationalCount = report.informational.count
        }
        if state.http2 != report.http2 {
            (state.http2, state.update.http2) = (report.http2, report.http2)
            state.hasNews = true
        }
        if let head = report.requestHead, head != state.sentHead {
            (state.sentHead, state.update.requestHead) = (head, head)
            state.hasNews = true
        }
        let isMoreKnown = report.connection?.http2 != nil && !state.hasToldHTTP2
        if state.update.serverConnection == nil || isMoreKnown, let connection = report.connection {
            state.update.serverConnection = connections.id(of: connection)
            state.hasToldHTTP2 = connection.http2 != nil
        }
    }

    /// Returns the new data and replaces it with an empty update.
    private func next(_ state: inout State) -> ExchangeUpdate {
        var update = state.update
        update.messages = state.messages.take()
        update.grpcStatus = state.messages.grpcStatus
        var rest = ExchangeUpdate(id: id, state: .active, timeline: update.timeline, isFirst: false)
        rest.serverConnection = update.serverConnection
        rest.requestBody.byteCount = update.requestBody.byteCount
        rest.requestBody.isComplete = update.requestBody.isComplete
        rest.responseBody.byteCount = update.responseBody.byteCount
        state.update = rest
        state.hasNews = false
        return update
    }

    /// Returns how many of the bytes are kept.
    private static func append(
        _ bytes: [UInt8], to body: inout ExchangeUpdate.BodyProgress, kept: inout Int, _ max: Int
    ) -> Int {
        body.byteCount &+= Int64(bytes.count)
        let room = Swift.min(max - kept, bytes.count)
        guard room > 0 else { return 0 }
        body.appended += bytes.prefix(room)
        kept += room
        return room
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
