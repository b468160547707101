internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Copies the traffic of one exchange to the sink, up to a limit; confined to its loop.
///
/// A short exchange is delivered once, complete, when it ends. A long one is delivered in pieces:
/// when a piece has grown to 64 KiB, and at the latest at the loop's recording tick.
///
/// The record ends with `end`, and in no other way.
final class ExchangeTap: Placed {
    /// A piece of this many bytes is delivered to the sink.
    private static let pieceByteCount = 64 << 10

    let id: ExchangeID
    private let sink: any ExchangeSink
    private let registry: TapRegistry
    private let keptByteCountMax: Int
    private var update: ExchangeUpdate
    private var requestKept = 0
    private var responseKept = 0
    private var sentResponseKept = 0
    /// The part of a changed response body that was sent and has not been delivered to the sink.
    private var sentResponseBody: [UInt8] = []
    /// Finds the messages in the request body; nil if it has none.
    var requestMessages: BodyObserver?
    var responseMessages: BodyObserver?
    private var messageCount: Int64 = 0
    private var heldMessageByteCount = 0
    /// Whether there is anything that the sink has not received.
    private(set) var hasNews = true
    /// Collects the HTTP/2 frames of the exchange; nil if none are kept.
    var frames: FrameLog?
    /// Knows when the last byte for the client has left; nil if the record does not wait for it.
    var departure: (any DepartureWatch)?
    /// The tap's index in the loop's list of open taps.
    var place = -1
    /// Whether it was open at an earlier tick; maintained by `TapRegistry`.
    var hasSeenTick = false
    /// Whether the request sent to the server must not be recorded.
    var hidesSentRequest = false

    init(
        sink: any ExchangeSink, registry: TapRegistry, clientConnection: ConnectionID?,
        timeline: Timeline, keptByteCountMax: Int
    ) {
        id = sink.nextExchangeID()
        self.sink = sink
        self.registry = registry
        self.keptByteCountMax = keptByteCountMax
        update = ExchangeUpdate(id: id, state: .active, timeline: timeline, isFirst: true)
        update.clientConnection = clientConnection
        registry.add(self)
    }

    // MARK: Collecting

    func mark(_ moment: Moment, at now: Int64) { update.timeline.markOnce(moment, at: now) }

    func setTimeline(_ change: (inout Timeline) -> Void) { change(&update.timeline) }

    func begin(url: RawURL?, head: RequestHead) {
        update.url = url
        update.requestHead = head
        requestMessages = BodyObserver(request: head)
        hasNews = true
    }

    func begin(malformed bytes: [UInt8]) {
        update.malformedHead = bytes
        hasNews = true
    }

    /// Starts the record with an HTTP/2 field section that is not a valid head.
    func begin(malformed fields: [UInt8], codings: [FieldCoding]) {
        update.malformedHead = fields
        update.malformedCodings = codings
        hasNews = true
    }

    /// Changes the facts that only HTTP/2 has.
    func setHTTP2(_ change: (inout HTTP2Facts) -> Void) {
        var facts = update.http2 ?? HTTP2Facts()
        change(&facts)
        update.http2 = facts
        hasNews = true
    }

    /// Records what ended a stream early: the first reset counts.
    func setReset(_ side: ConnectionRecord.Side, isOurs: Bool, _ code: HTTP2ErrorCode) {
        setHTTP2 { facts in
            guard facts.reset == nil else { return }
            facts.reset = HTTP2Facts.Reset(side: side, isOurs: isOurs, code: code)
        }
    }

    /// Records how the head sent to the server differs from the one that arrived.
    func noteForwarding(_ notes: ForwardingNotes, head: [UInt8]) {
        if notes.contains(.differs), !hidesSentRequest { update.requestHeadSent = head }
        update.keepsForeignHost = notes.contains(.keepsForeignHost)
        hasNews = true
    }

    /// The user as whom the client has authenticated.
    var user: String? { update.user }

    func setUser(_ user: String?) {
        update.user = user
        hasNews = true
    }

    func setServerConnection(_ id: ConnectionID?) { update.serverConnection = id }

    func appendRequestBody(_ bytes: Span<UInt8>, at now: Int64) {
        let kept = ExchangeTap.append(
            bytes, to: &update.requestBody, room: keptByteCountMax - requestKept)
        requestKept += kept
        hasNews = true
        if let requestMessages { observe(bytes, kept: kept, requestMessages, at: now) }
        flushLargePiece()
    }

    func endRequest(trailers: HeaderFields?, at now: Int64) {
        if let requestMessages { endMessages(requestMessages, isCutShort: false, at: now) }
        update.requestBody.isComplete = true
        if let trailers { update.requestTrailers = trailers }
        hasNews = true
    }

    func append(informational head: ResponseHead) {
        update.informational.append(head)
        hasNews = true
    }

    func setResponse(_ head: ResponseHead) {
        update.responseHead = head
        responseMessages = BodyObserver(response: head)
        hasNews = true
    }

    func appendResponseBody(_ bytes: Span<UInt8>, at now: Int64) {
        let kept = ExchangeTap.append(
            bytes, to: &update.responseBody, room: keptByteCountMax - responseKept)
        responseKept += kept
        hasNews = true
        if let responseMessages { observe(bytes, kept: kept, responseMessages, at: now) }
        flushLargePiece()
    }

    /// Appends the whole body of the proxy's own answer, in which no messages are looked for.
    func appendAnswer(_ bytes: Span<UInt8>) {
        responseKept += ExchangeTap.append(
            bytes, to: &update.responseBody, room: keptByteCountMax - responseKept)
        hasNews = true
        flushLargePiece()
    }

    func setResponseTrailers(_ trailers: HeaderFields) {
        update.responseTrailers = trailers
        hasNews = true
    }

    /// Records what has been repaired in the response so far.
    func setRepairs(_ repairs: ResponseRepairs) {
        guard !repairs.isEmpty else { return }
        update.responseFault = update.responseFault ?? ResponseFault()
        update.responseFault?.repairs = repairs.texts
        hasNews = true
    }

    /// Keeps bytes that came from the server and were not forwarded.
    func setRefused(_ bytes: [UInt8], reason: String) {
        guard !bytes.isEmpty else { return }
        update.responseFault = update.responseFault ?? ResponseFault()
        update.responseFault?.refusal = .init(bytes: bytes, reason: reason)
        hasNews = true
    }

    /// Records what was sent in another form than it arrived; of a body, only its beginning.
    func record(_ event: ExchangeEvent) {
        switch event {
        case .sentRequestBody(let body):
            update.events.append(.sentRequestBody(Array(body.prefix(keptByteCountMax))))
        case .sentResponseBody(let body):
            countSentResponse(body.count)
            update.events.append(.sentResponseBody(Array(body.prefix(keptByteCountMax))))
        case .appliedRule(var rule):
            if let hold = rule.hold {
                update.heldNs &+= hold.durationNs
                rule.hold?.startNs = hold.startNs &- update.timeline.start
            }
            update.events.append(.appliedRule(rule))
        case .responseWithheld:
            update.sentResponseByteCount = 0
            update.events.append(event)
        case .sentResponseHead, .tagged: update.events.append(event)
        }
        hasNews = true
        flushLargePiece()
    }

    /// Counts bytes of a response body that is not the one received, stored or not.
    func countSentResponse(_ count: Int) {
        update.sentResponseByteCount = (update.sentResponseByteCount ?? 0) &+ Int64(count)
        hasNews = true
    }

    /// The rest of the server's response will not be read.
    func abandonResponse() {
        update.isResponseAbandoned = true
        hasNews = true
    }

    /// Records a piece of the response body that was sent in another form than it arrived.
    func appendSentResponseBody(_ bytes: [UInt8]) {
        countSentResponse(bytes.count)
        let kept = min(keptByteCountMax - sentResponseKept, bytes.count)
        guard kept > 0 else { return }
        sentResponseKept += kept
        sentResponseBody += bytes[..<kept]
        hasNews = true
        flushLargePiece()
    }

    private func takeSentResponseBody() {
        guard sentResponseKept > 0, !sentResponseBody.isEmpty else { return }
        update.events.append(.sentResponseBody(sentResponseBody))
        sentResponseBody = []
    }

    /// Records a complete message and assigns its position.
    func append(_ message: consuming MessageRecord, at now: Int64) {
        message.position = messageCount
        message.offsetNs = now &- update.timeline.start
        messageCount &+= 1
        heldMessageByteCount &+= message.heldByteCount &+ MemoryLayout<MessageRecord>.stride
        update.messages.append(message)
        hasNews = true
        flushLargePiece()
    }

    /// Records the status that a call ended with, if its body contains it.
    func setGRPCStatus(_ number: Int64) {
        update.grpcStatus = number
        hasNews = true
    }

    func setUpgrade(_ name: String) {
        update.upgradedTo = name.lowercased()
        hasNews = true
    }

    /// Counts bytes that a tunnel relayed, without keeping them.
    func countRelayed(fromClient: Int64, fromServer: Int64) {
        update.requestBody.byteCount &+= fromClient
        update.responseBody.byteCount &+= fromServer
        hasNews = true
    }

    // MARK: Delivering

    /// Delivers what is new to the sink, if there is anything.
    func flush() {
        guard hasNews else { return }
        takeSentResponseBody()
        var next = ExchangeUpdate(id: id, state: .active, timeline: update.timeline, isFirst: false)
        next.clientConnection = update.clientConnection
        next.serverConnection = update.serverConnection
        next.upgradedTo = update.upgradedTo
        next.user = update.user
        next.http2 = update.http2
        next.keepsForeignHost = update.keepsForeignHost
        next.requestBody.byteCount = update.requestBody.byteCount
        next.requestBody.isComplete = update.requestBody.isComplete
        next.responseBody.byteCount = update.responseBody.byteCount
        next.sentResponseByteCount = update.sentResponseByteCount
        next.isResponseAbandoned = update.isResponseAbandoned
        next.heldNs = update.heldNs
        if let frames { update.frames = frames.take() }
        swap(&next, &update)
        heldMessageByteCount = 0
        hasNews = false
        sink.record(next)
    }

    /// Ends the record, once everything for the client has left.
    func end(_ state: ExchangeState, failure: ExchangeFailure? = nil, at now: Int64) {
        guard let departure else { return deliverLast(state, failure, at: now) }
        self.departure = nil
        departure.awaitDeparture(of: self, RecordEnding(state: state, failure: failure, at: now))
    }

    /// Everything for the client has left: a complete response counts as delivered.
    func departed(_ ending: RecordEnding) {
        deliverLast(ending.state, ending.failure, at: ending.at)
    }

    private func deliverLast(_ state: ExchangeState, _ failure: ExchangeFailure?, at now: Int64) {
        registry.remove(self)
        if state == .complete { mark(.delivered, at: now) }
        if requestMessages != nil || responseMessages != nil {
            endMessages(isCutShort: state != .complete, at: now)
        }
        takeSentResponseBody()
        update.timeline.markOnce(.ended, at: now)
        update.state = state
        update.failure = failure
        if failure == nil, state == .complete, !update.isResponseAbandoned {
            update.responseBody.isComplete = true
        }
        hasNews = false
        if let frames { update.frames = frames.take(isLast: true) }
        // Swapped out instead of copied: a copy would retain every part of it, twice.
        var last = ExchangeUpdate(id: id, state: state, timeline: update.timeline, isFirst: false)
        swap(&last, &update)
        sink.record(last)
    }

    private func flushLargePiece() {
        var held = update.requestBody.appended.count + update.responseBody.appended.count
        if let frames { held += frames.byteCount }
        held &+= heldMessageByteCount
        // Most exchanges have none, and skip the count.
        if sentResponseKept > 0 { held &+= sentResponseBody.count }
        if held >= ExchangeTap.pieceByteCount { flush() }
    }

    /// Returns how many of the bytes were kept.
    private static func append(
        _ bytes: Span<UInt8>, to body: inout ExchangeUpdate.BodyProgress, room: Int
    ) -> Int {
        body.byteCount &+= Int64(bytes.count)
        let kept = min(room, bytes.count)
        guard kept > 0 else { return 0 }
        bytes.extracting(0..<kept).withUnsafeBufferPointer { body.appended.append(contentsOf: $0) }
        return kept
    }
}

/// Knows when the bytes for a client have left.
protocol DepartureWatch: AnyObject {
    /// Calls `departed` of a tap once everything that the client gets of its exchange has left,
    /// immediately or later, with another ending if some of it never will.
    func awaitDeparture(of tap: ExchangeTap, _ ending: RecordEnding)
}

/// How the record of an exchange ends.
struct RecordEnding {
    var state: ExchangeState
    var failure: ExchangeFailure?
    /// On the monotonic clock.
    var at: Int64
}

/// Messages in the bodies of event streams and of gRPC, gRPC-Web and Connect calls.
extension ExchangeTap {
    /// Records the messages that end in a piece of a body, of which the first `kept` bytes are
    /// stored.
    func observe(_ bytes: Span<UInt8>, kept: Int, _ messages: BodyObserver, at now: Int64) {
        messages.receive(bytes.extracting(0..<kept)) { append($0, at: now) }
        if kept < bytes.count {
            messages.keptPartEnded()
            messages.receive(bytes.extracting(kept..<bytes.count)) { append($0, at: now) }
        }
        if let number = messages.grpcStatus { setGRPCStatus(number) }
    }

    /// Records what is left unfinished when a body ends.
    func endMessages(_ messages: BodyObserver, isCutShort: Bool, at now: Int64) {
        messages.finish(isCutShort: isCutShort) { append($0, at: now) }
        if let number = messages.grpcStatus { setGRPCStatus(number) }
    }

    /// Records what is left unfinished in both bodies when the exchange ends.
    func endMessages(isCutShort: Bool, at now: Int64) {
        if let requestMessages { endMessages(requestMessages, isCutShort: true, at: now) }
        if let responseMessages { endMessages(responseMessages, isCutShort: isCutShort, at: now) }
        requestMessages = nil
        responseMessages = nil
    }
}

/// The open exchanges of one loop. While there are any, a tick delivers what is new, so that a long
/// exchange shows up in the store while it runs. The first tick skips an exchange: most have ended
/// by the next one, and are then written only once.
final class TapRegistry {
    private let ticker: Ticker

    /// - Parameter loop: Whose timer ticks; nil for no ticks.
    init(loop: EventLoop?) { ticker = Ticker(loop: loop) }

    func add(_ tap: ExchangeTap) {
        ticker.taps.add(tap)
        if ticker.timer == nil { ticker.arm() }
    }

    func remove(_ tap: ExchangeTap) { ticker.taps.remove(tap) }

    func tick() { ticker.tick() }
}

/// What the timer of a registry refers to. It is an object of its own because objects with weak
/// references are slow to retain, and each tap retains its registry.
private final class Ticker {
    /// How old data may become before it is delivered; twice that for the first data of an
    /// exchange. Together with the recorder's own batching, this keeps the promise of 200 ms.
    private static let tickNs: Int64 = 50_000_000

    private let loop: EventLoop?
    var taps = IndexedSet<ExchangeTap>()
    private(set) var timer: Timer?

    init(loop: EventLoop?) { self.loop = loop }

    func arm() {
        timer = loop?.schedule(afterNs: Ticker.tickNs) { [weak self] in self?.tick() }
    }

    /// Delivers what is new.
    func tick() {
        timer = nil
        for tap in taps.all {
            if tap.hasSeenTick { tap.flush() }
            tap.hasSeenTick = true
        }
        if !taps.isEmpty { arm() }
    }
}
