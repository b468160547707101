internal import ProxydHTTPModel
internal import Synchronization

/// What of one call has not been handed to the sink yet.
///
/// A short call is handed over once, whole, at its end. A long one goes in pieces: when one has
/// grown to 64 KiB, and at the latest when `OpenCallRecords` asks.
final class CallRecord: Sendable {
    private static let pieceByteCount = 64 << 10

    /// The number it is recorded under.
    let id: ExchangeID
    private let sink: any ExchangeSink
    private let connections: RecordedConnections
    private let keptByteCountMax: Int
    private let state: Mutex<State>

    private struct State: Sendable {
        var update: ExchangeUpdate
        var requestKept = 0
        var responseKept = 0
        var informationalCount = 0
        /// Whether the request's body is only known when it was pulled.
        var isStreaming = false
        /// What the transport said last.
        var reported: Timeline
        var hasNews = true
        var http2: HTTP2Facts?
        var sentHead: RequestHead?
        var hasToldHTTP2 = false
        var isOver = false
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
        var first = State(update: update, reported: request.timeline)
        switch request.payload {
        case .none: first.update.requestBody.isComplete = true
        case .octets(let octets):
            CallRecord.append(
                octets, to: &first.update.requestBody, kept: &first.requestKept, keptByteCountMax)
            first.update.requestBody.isComplete = true
        case .stream: first.isStreaming = true
        }
        state = Mutex(first)
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    // MARK: News

    func appendRequest(_ octets: [UInt8]) {
        change(nil) { state in
            CallRecord.append(
                octets, to: &state.update.requestBody, kept: &state.requestKept,
                keptByteCountMax)
        }
    }

    func endRequest() { change(nil) { $0.update.requestBody.isComplete = true } }

    func note(_ head: ResponseHead) { change(nil) { $0.update.responseHead = head } }

    func appendResponse(_ octets: [UInt8], _ report: TransportReport) {
        change(report) { state in
            CallRecord.append(
                octets, to: &state.update.responseBody, kept: &state.responseKept,
                keptByteCountMax)
        }
    }

    /// Waits until the sink takes more.
    func waitForRoom() async {
        guard sink.isCongested else { return }
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            sink.whenDrained { continuation.resume() }
        }
    }

    // MARK: Handing over

    /// Hands over what is new, if anything is.
    func flush(_ report: TransportReport) {
        let update = state.withLock { state -> ExchangeUpdate? in
            guard !state.isOver else { return nil }
            take(report, into: &state)
            return state.hasNews ? next(&state) : nil
        }
        if let update { sink.record(update) }
    }

    func complete(_ report: TransportReport) {
        end(.complete, nil, report)
    }

    func fail(_ error: ClientError, _ report: TransportReport) {
        guard error.kind != .explicitlyCancelled else { return abandon(report) }
        end(.failed, error.exchangeFailure, report)
    }

    /// No one wants the rest.
    func abandon(_ report: TransportReport) {
        end(
            .failed,
            ExchangeFailure(
                origin: .client, kind: .closedEarly, message: "the client gave the request up"),
            report)
    }

    private func end(
        _ outcome: ExchangeState, _ failure: ExchangeFailure?, _ report: TransportReport
    ) {
        let update = state.withLock { state -> ExchangeUpdate? in
            guard !state.isOver else { return nil }
            take(report, into: &state)
            state.isOver = true
            state.update.state = outcome
            state.update.failure = failure
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

    private func change(_ report: TransportReport?, _ body: (inout State) -> Void) {
        let update = state.withLock { state -> ExchangeUpdate? in
            guard !state.isOver else { return nil }
            body(&state)
            state.hasNews = true
            let update = state.update
            let held = update.requestBody.appended.count + update.responseBody.appended.count
            guard held >= CallRecord.pieceByteCount else { return nil }
            if let report { take(report, into: &state) }
            return next(&state)
        }
        if let update { sink.record(update) }
    }

    /// Takes what the transport knows.
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

    /// What is new, and an update without it in its place.
    private func next(_ state: inout State) -> ExchangeUpdate {
        let update = state.update
        var rest = ExchangeUpdate(
            id: id, state: .active, timeline: update.timeline, isFirst: false)
        rest.serverConnection = update.serverConnection
        rest.requestBody.byteCount = update.requestBody.byteCount
        rest.requestBody.isComplete = update.requestBody.isComplete
        rest.responseBody.byteCount = update.responseBody.byteCount
        state.update = rest
        state.hasNews = false
        return update
    }

    private static func append(
        _ octets: [UInt8], to body: inout ExchangeUpdate.BodyProgress, kept: inout Int, _ max: Int
    ) {
        body.byteCount &+= Int64(octets.count)
        let room = Swift.min(max - kept, octets.count)
        guard room > 0 else { return }
        body.appended += octets.prefix(room)
        kept += room
    }
}
