public import ProxydHTTPModel
public import ProxydHTTPWire

/// Copies the traffic of one exchange to the sink, up to a limit. It belongs to one loop, or to
/// whoever holds its lock.
///
/// A short exchange is delivered once, complete, when it ends. A long one is delivered in pieces:
/// when a piece has grown to 64 KiB, and when `flush` is called, which its owner does regularly.
open class ExchangeRecord {
    /// A piece of this many bytes is delivered to the sink.
    private static let pieceByteCount = 64 << 10

    public final let id: ExchangeID
    private let sink: any ExchangeSink
    private let keptByteCountMax: Int
    // Exclusive: a value whose members call nothing; closures get copies of its parts.
    @exclusivity(unchecked) private var update: ExchangeUpdate
    private var requestKept = 0
    private var responseKept = 0
    private var sentResponseKept = 0
    /// The part of a changed response body that was sent and has not been delivered to the sink.
    private var sentResponseBody: [UInt8] = []
    /// Finds the messages in the request body; nil if it has none.
    private var requestMessages: BodyObserver?
    private var responseMessages: BodyObserver?
    private var messageCount: Int64 = 0
    /// The number of bytes of bodies and messages that have not been delivered to the sink.
    private var undeliveredByteCount = 0
    /// Whether there is anything that the sink has not received.
    private var hasNews = true
    private var hasNewHTTP2Facts = false
    // Private, so that accesses are known to be exclusive: a check of each would cost more.
    private var frameLog: FrameLog?

    public init(
        sink: any ExchangeSink, clientConnection: ConnectionID?, timeline: Timeline,
        keptByteCountMax: Int
    ) {
        id = sink.nextExchangeID()
        self.sink = sink
        self.keptByteCountMax = keptByteCountMax
        update = ExchangeUpdate(id: id, state: .active, timeline: timeline, isFirst: true)
        update.clientConnection = clientConnection
    }

    /// Collects the HTTP/2 frames of the exchange; nil if none are kept.
    public final var frames: FrameLog? {
        get { frameLog }
        set { frameLog = newValue }
    }

    // MARK: Collecting

    public final func mark(_ moment: Moment, at now: Int64) {
        update.timeline.markOnce(moment, at: now)
    }

    public final func setTimeline(_ change: (inout Timeline) -> Void) {
        var timeline = update.timeline
        change(&timeline)
        update.timeline = timeline
    }

    /// Replaces the timeline, and reports a change of it.
    public final func setTimeline(_ timeline: Timeline) {
        let former = update.timeline
        if timeline != former { hasNews = true }
        update.timeline = timeline
    }

    /// - Parameters:
    ///   - headAt: When the head was complete, on the monotonic clock; nil if that is not known.
    ///   - trailers: The trailers, if they are known before the body has passed.
    ///   - replayOf: The exchange that this one repeats.
    public final func begin(
        url: RawURL?, head: RequestHead, at headAt: Int64? = nil, trailers: HeaderFields? = nil,
        replayOf: ExchangeID? = nil
    ) {
        if let headAt { update.timeline.markOnce(.requestHead, at: headAt) }
        update.url = url
        update.requestHead = head
        update.requestTrailers = trailers
        update.replayOf = replayOf
        requestMessages = BodyObserver(request: head)
        hasNews = true
    }

    public final func begin(malformed bytes: [UInt8]) {
        update.malformedHead = bytes
        hasNews = true
    }

    /// Starts the record with an HTTP/2 field section that is not a valid head.
    public final func begin(malformed fields: [UInt8], codings: [FieldCoding]) {
        update.malformedHead = fields
        update.malformedCodings = codings
        hasNews = true
    }

    public final func setHTTP2(_ change: (inout HTTP2Facts) -> Void) {
        var facts = update.http2 ?? HTTP2Facts()
        change(&facts)
        update.http2 = facts
        hasNewHTTP2Facts = true
        hasNews = true
    }

    /// Records what ended a stream early: the first reset counts.
    public final func setReset(_ side: ConnectionRecord.Side, isOurs: Bool, _ code: HTTP2ErrorCode)
    {
        setHTTP2 { facts in
            guard facts.reset == nil else { return }
            facts.reset = HTTP2Facts.Reset(side: side, isOurs: isOurs, code: code)
        }
    }

    /// Records how the head sent to the server differs from the one that arrived.
    /// - Parameter sentHead: Nil if it must not be recorded.
    public final func noteForwarding(_ notes: ForwardingNotes, sentHead: [UInt8]?) {
        if notes.contains(.differs) { update.requestHeadSent = sentHead }
        update.keepsForeignHost = notes.contains(.keepsForeignHost)
        hasNews = true
    }

    /// The user as whom the client has authenticated.
    public final var user: String? { update.user }

    public final func setUser(_ user: String?) {
        update.user = user
        hasNews = true
    }

    public final func setServerConnection(_ id: ConnectionID?) { update.serverConnection = id }

    /// The same for a connection to which the request is sent from now on.
    public final func setServerConnection(_ id: ConnectionID?, isReused: Bool, sendStart: Int64) {
        update.serverConnection = id
        update.timeline.connectionReused = isReused
        update.timeline.mark(.sendStart, at: sendStart)
    }

    public final func appendRequestBody(_ bytes: Span<UInt8>, at now: Int64) {
        let kept = ExchangeRecord.append(
            bytes, to: &update.requestBody, room: keptByteCountMax - requestKept)
        requestKept += kept
        undeliveredByteCount &+= kept
        hasNews = true
        if let requestMessages { observe(bytes, kept: kept, requestMessages, at: now) }
        flushLargePiece()
    }

    public final var isRequestComplete: Bool { update.requestBody.isComplete }

    /// Replaces the request's head by the one that was sent.
    public final func setRequestHead(_ head: RequestHead) {
        update.requestHead = head
        hasNews = true
    }

    /// The request's last byte has arrived.
    public final func endRequest(trailers: HeaderFields?, at now: Int64) {
        if let requestMessages { endMessages(requestMessages, isCutShort: false, at: now) }
        update.timeline.markOnce(.requestLastByte, at: now)
        update.requestBody.isComplete = true
        if let trailers { update.requestTrailers = trailers }
        hasNews = true
    }

    public final func append(informational head: ResponseHead) {
        update.informational.append(head)
        hasNews = true
    }

    public final func setResponse(_ head: ResponseHead) {
        update.responseHead = head
        responseMessages = BodyObserver(response: head)
        hasNews = true
    }

    public final func appendResponseBody(_ bytes: Span<UInt8>, at now: Int64) {
        let kept = keep(response: bytes)
        if let responseMessages { observe(bytes, kept: kept, responseMessages, at: now) }
        flushLargePiece()
    }

    /// Appends the whole body of the proxy's own answer, in which no messages are looked for.
    public final func appendAnswer(_ bytes: Span<UInt8>) {
        _ = keep(response: bytes)
        flushLargePiece()
    }

    /// Returns how many of the bytes were kept.
    private func keep(response bytes: Span<UInt8>) -> Int {
        let kept = ExchangeRecord.append(
            bytes, to: &update.responseBody, room: keptByteCountMax - responseKept)
        responseKept += kept
        undeliveredByteCount &+= kept
        hasNews = true
        return kept
    }

    public final func setResponseTrailers(_ trailers: HeaderFields) {
        update.responseTrailers = trailers
        hasNews = true
    }

    public final func setResponseFault(_ fault: ResponseFault) {
        update.responseFault = fault
        hasNews = true
    }

    public final func setRepairs(_ repairs: ResponseRepairs) {
        guard !repairs.isEmpty else { return }
        update.responseFault = update.responseFault ?? ResponseFault()
        update.responseFault?.repairs = repairs.texts
        hasNews = true
    }

    /// Keeps bytes that came from the server and were not forwarded.
    public final func setRefused(_ bytes: [UInt8], reason: String) {
        guard !bytes.isEmpty else { return }
        update.responseFault = update.responseFault ?? ResponseFault()
        update.responseFault?.refusal = .init(bytes: bytes, reason: reason)
        hasNews = true
    }

    /// Records what was sent in another form than it arrived; of a body, only its beginning.
    public final func record(_ event: ExchangeEvent) {
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
    public final func countSentResponse(_ count: Int) {
        update.sentResponseByteCount = (update.sentResponseByteCount ?? 0) &+ Int64(count)
        hasNews = true
    }

    /// The rest of the server's response will not be read.
    public final func abandonResponse() {
        update.isResponseAbandoned = true
        hasNews = true
    }

    /// Records a piece of the response body that was sent in another form than it arrived.
    public final func appendSentResponseBody(_ bytes: [UInt8]) {
        countSentResponse(bytes.count)
        let kept = min(keptByteCountMax - sentResponseKept, bytes.count)
        guard kept > 0 else { return }
        sentResponseKept += kept
        undeliveredByteCount &+= kept
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
    public final func append(_ message: consuming MessageRecord, at now: Int64) {
        message.position = messageCount
        message.offsetNs = now &- update.timeline.start
        messageCount &+= 1
        undeliveredByteCount &+= message.memoryByteCount &+ MemoryLayout<MessageRecord>.stride
        update.messages.append(message)
        hasNews = true
        flushLargePiece()
    }

    public final func setUpgrade(_ name: String) {
        update.upgradedTo = name.lowercased()
        hasNews = true
    }

    /// Counts bytes that a tunnel relayed, without keeping them.
    public final func countRelayed(fromClient: Int64, fromServer: Int64) {
        update.requestBody.byteCount &+= fromClient
        update.responseBody.byteCount &+= fromServer
        hasNews = true
    }

    // MARK: Delivering

    /// Delivers what is new to the sink, if there is anything.
    public final func flush() {
        guard hasNews else { return }
        takeSentResponseBody()
        var next = ExchangeUpdate(id: id, state: .active, timeline: update.timeline, isFirst: false)
        next.clientConnection = update.clientConnection
        next.serverConnection = update.serverConnection
        next.user = update.user
        next.http2 = update.http2
        next.keepsForeignHost = update.keepsForeignHost
        next.requestBody.byteCount = update.requestBody.byteCount
        next.requestBody.isComplete = update.requestBody.isComplete
        next.responseBody.byteCount = update.responseBody.byteCount
        next.sentResponseByteCount = update.sentResponseByteCount
        next.isResponseAbandoned = update.isResponseAbandoned
        next.heldNs = update.heldNs
        if let frameLog { update.frames = frameLog.take() }
        if !hasNewHTTP2Facts { update.http2 = nil }
        swap(&next, &update)
        undeliveredByteCount = 0
        hasNews = false
        hasNewHTTP2Facts = false
        sink.record(next)
    }

    /// Delivers the last update. Nothing may be recorded afterwards.
    /// - Parameters:
    ///   - isDelivered: Whether everything for the client has left now.
    ///   - frames: The frames, if there is no log of them.
    public final func finish(
        _ state: ExchangeState, _ failure: ExchangeFailure?, isDelivered: Bool = false,
        frames: [UInt8] = [], at now: Int64
    ) {
        if requestMessages != nil || responseMessages != nil {
            endMessages(isCutShort: state != .complete, at: now)
        }
        takeSentResponseBody()
        if isDelivered { update.timeline.markOnce(.delivered, at: now) }
        update.timeline.markOnce(.ended, at: now)
        update.state = state
        update.failure = failure
        if failure == nil, state == .complete, !update.isResponseAbandoned {
            update.responseBody.isComplete = true
        }
        hasNews = false
        undeliveredByteCount = 0
        update.frames = frameLog?.take(isLast: true) ?? frames
        if !hasNewHTTP2Facts { update.http2 = nil }
        // Swapped out instead of copied: a copy would retain every part of it, twice.
        var last = ExchangeUpdate(id: id, state: state, timeline: update.timeline, isFirst: false)
        swap(&last, &update)
        sink.record(last)
    }

    private func flushLargePiece() {
        let byteCount = undeliveredByteCount &+ (frameLog?.byteCount ?? 0)
        if byteCount >= ExchangeRecord.pieceByteCount { flush() }
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

    // MARK: Messages in event streams and in gRPC, gRPC-Web and Connect calls

    /// Records the messages that end in a piece of a body; its first `kept` bytes are stored.
    private func observe(_ bytes: Span<UInt8>, kept: Int, _ messages: BodyObserver, at now: Int64) {
        messages.receive(bytes.extracting(0..<kept)) { append($0, at: now) }
        if kept < bytes.count {
            messages.keptPartEnded()
            messages.receive(bytes.extracting(kept..<bytes.count)) { append($0, at: now) }
        }
        noteGRPCStatus(of: messages)
    }

    /// Records the status that a call ended with, if its body contains it.
    private func noteGRPCStatus(of messages: BodyObserver) {
        guard let number = messages.grpcStatus else { return }
        update.grpcStatus = number
        hasNews = true
    }

    /// Records what is left unfinished when a body ends.
    private func endMessages(_ messages: BodyObserver, isCutShort: Bool, at now: Int64) {
        messages.finish(isCutShort: isCutShort) { append($0, at: now) }
        noteGRPCStatus(of: messages)
    }

    /// Records what is left unfinished in both bodies when the exchange ends.
    private func endMessages(isCutShort: Bool, at now: Int64) {
        if let requestMessages { endMessages(requestMessages, isCutShort: true, at: now) }
        if let responseMessages { endMessages(responseMessages, isCutShort: isCutShort, at: now) }
        requestMessages = nil
        responseMessages = nil
    }
}
