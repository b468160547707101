internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Copies what passes of one exchange to the sink, bounded; confined to its loop.
///
/// A short exchange is handed over once, whole, at its end. A long one is handed over in pieces:
/// when a piece has grown to 64 KiB, and at the latest when the loop's recording tick comes.
final class ExchangeTap: Placed {
    /// Octets held before they are handed over.
    private static let pieceByteCount = 64 << 10

    let id: ExchangeID
    private let sink: any ExchangeSink
    private let keptByteCountMax: Int
    private var update: ExchangeUpdate
    private var requestKept = 0
    private var responseKept = 0
    private var sentResponseKept = 0
    /// What of a response's body was sent on in another form, and was not handed over.
    private var sentResponseBody: [UInt8] = []
    /// Tells the messages in the bodies; nil where they have none.
    var requestMessages: BodyObserver?
    var responseMessages: BodyObserver?
    private var messageCount: Int64 = 0
    private var heldMessageByteCount = 0
    /// Whether something is known that the sink has not been told.
    private(set) var hasNews = true
    /// Where the frames of HTTP/2 that carry it are noted; nil where none are kept.
    var frames: FrameLog?
    /// Its place in the loop's list of open taps.
    var place = -1
    /// Whether it was open at a tick of `TapRegistry`, which keeps this.
    var hasSeenTick = false
    /// Whether what the server gets is not to be kept.
    var hidesSentRequest = false

    init(
        sink: any ExchangeSink, clientConnection: ConnectionID?, timeline: Timeline,
        keptByteCountMax: Int
    ) {
        id = sink.nextExchangeID()
        self.sink = sink
        self.keptByteCountMax = keptByteCountMax
        update = ExchangeUpdate(id: id, state: .active, timeline: timeline, isFirst: true)
        update.clientConnection = clientConnection
    }

    // MARK: News

    func mark(_ moment: Moment, at now: Int64) { update.timeline.markOnce(moment, at: now) }

    func setTimeline(_ change: (inout Timeline) -> Void) { change(&update.timeline) }

    func begin(url: RawURL?, head: RequestHead) {
        update.url = url
        update.requestHead = head
        requestMessages = BodyObserver(request: head)
        hasNews = true
    }

    func begin(malformed octets: [UInt8]) {
        update.malformedHead = octets
        hasNews = true
    }

    /// Begins with a field section of HTTP/2 that is no head.
    func begin(malformed message: MalformedMessage) {
        update.malformedHead = message.fields
        update.malformedCodings = message.codings
        hasNews = true
    }

    /// Notes what HTTP/2 adds.
    func setHTTP2(_ change: (inout HTTP2Facts) -> Void) {
        var facts = update.http2 ?? HTTP2Facts()
        change(&facts)
        update.http2 = facts
        hasNews = true
    }

    /// Notes what ended a stream before its time: the first counts.
    func setReset(_ side: ConnectionRecord.Side, isOurs: Bool, _ code: HTTP2ErrorCode) {
        setHTTP2 { facts in
            guard facts.reset == nil else { return }
            facts.reset = HTTP2Facts.Reset(side: side, isOurs: isOurs, code: code)
        }
    }

    /// Notes how the head that went to the server differs from the one that came.
    func noteForwarding(_ notes: ForwardingNotes, head: [UInt8]) {
        if notes.contains(.differs), !hidesSentRequest { update.requestHeadSent = head }
        update.keepsForeignHost = notes.contains(.keepsForeignHost)
        hasNews = true
    }

    func setServerConnection(_ id: ConnectionID?) { update.serverConnection = id }

    func appendRequestBody(_ octets: Span<UInt8>, at now: Int64) {
        let kept = ExchangeTap.append(
            octets, to: &update.requestBody, room: keptByteCountMax - requestKept)
        requestKept += kept
        hasNews = true
        if let requestMessages { observe(octets, kept: kept, requestMessages, at: now) }
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

    func appendResponseBody(_ octets: Span<UInt8>, at now: Int64) {
        let kept = ExchangeTap.append(
            octets, to: &update.responseBody, room: keptByteCountMax - responseKept)
        responseKept += kept
        hasNews = true
        if let responseMessages { observe(octets, kept: kept, responseMessages, at: now) }
        flushLargePiece()
    }

    /// Appends the whole body of an answer of our own, in which no messages are looked for.
    func appendAnswer(_ octets: Span<UInt8>) {
        responseKept += ExchangeTap.append(
            octets, to: &update.responseBody, room: keptByteCountMax - responseKept)
        hasNews = true
        flushLargePiece()
    }

    func setResponseTrailers(_ trailers: HeaderFields) {
        update.responseTrailers = trailers
        hasNews = true
    }

    /// Notes what was mended in the response so far.
    func setRepairs(_ repairs: ResponseRepairs) {
        guard !repairs.isEmpty else { return }
        update.responseFault = update.responseFault ?? ResponseFault()
        update.responseFault?.repairs = repairs.texts
        hasNews = true
    }

    /// Keeps what came from the server and was not passed on.
    func setRefused(_ octets: [UInt8], reason: String) {
        guard !octets.isEmpty else { return }
        update.responseFault = update.responseFault ?? ResponseFault()
        update.responseFault?.refusal = .init(octets: octets, reason: reason)
        hasNews = true
    }

    /// Notes what was sent on in another form than it came; of a body, its beginning.
    func record(_ event: ExchangeEvent) {
        switch event {
        case .sentRequestBody(let body):
            update.events.append(.sentRequestBody(Array(body.prefix(keptByteCountMax))))
        case .sentResponseBody(let body):
            update.events.append(.sentResponseBody(Array(body.prefix(keptByteCountMax))))
        case .sentResponseHead, .appliedRule, .tagged: update.events.append(event)
        }
        hasNews = true
        flushLargePiece()
    }

    /// Notes a piece of the response's body that was sent on in another form than it came.
    func appendSentResponseBody(_ octets: [UInt8]) {
        let kept = min(keptByteCountMax - sentResponseKept, octets.count)
        guard kept > 0 else { return }
        sentResponseKept += kept
        sentResponseBody += octets[..<kept]
        hasNews = true
        flushLargePiece()
    }

    private func takeSentResponseBody() {
        guard sentResponseKept > 0, !sentResponseBody.isEmpty else { return }
        update.events.append(.sentResponseBody(sentResponseBody))
        sentResponseBody = []
    }

    /// Notes a message that is complete now; it gets its position here.
    func append(_ message: consuming MessageRecord, at now: Int64) {
        message.position = messageCount
        message.offsetNs = now &- update.timeline.start
        messageCount &+= 1
        heldMessageByteCount &+= message.heldByteCount &+ MemoryLayout<MessageRecord>.stride
        update.messages.append(message)
        hasNews = true
        flushLargePiece()
    }

    /// Notes the status that a call ended with, where its body says it.
    func setGRPCStatus(_ number: Int64) {
        update.grpcStatus = number
        hasNews = true
    }

    func setUpgrade(_ name: String) {
        update.upgradedTo = name.lowercased()
        hasNews = true
    }

    /// Counts octets that a tunnel relayed, without keeping them.
    func countRelayed(fromClient: Int64, fromServer: Int64) {
        update.requestBody.byteCount &+= fromClient
        update.responseBody.byteCount &+= fromServer
        hasNews = true
    }

    // MARK: Handing over

    /// Hands over what is new, if anything is.
    func flush() {
        guard hasNews else { return }
        takeSentResponseBody()
        var next = ExchangeUpdate(
            id: id, state: .active, timeline: update.timeline, isFirst: false)
        next.clientConnection = update.clientConnection
        next.serverConnection = update.serverConnection
        next.upgradedTo = update.upgradedTo
        next.http2 = update.http2
        next.keepsForeignHost = update.keepsForeignHost
        next.requestBody.byteCount = update.requestBody.byteCount
        next.requestBody.isComplete = update.requestBody.isComplete
        next.responseBody.byteCount = update.responseBody.byteCount
        if let frames { update.frames = frames.take() }
        swap(&next, &update)
        heldMessageByteCount = 0
        hasNews = false
        sink.record(next)
    }

    /// Hands over the rest, for good.
    func finish(_ state: ExchangeState, failure: ExchangeFailure?, at now: Int64) {
        if requestMessages != nil || responseMessages != nil {
            endMessages(isCutShort: state != .complete, at: now)
        }
        takeSentResponseBody()
        update.timeline.markOnce(.ended, at: now)
        update.state = state
        update.failure = failure
        if failure == nil, state == .complete { update.responseBody.isComplete = true }
        hasNews = false
        if let frames { update.frames = frames.take(isLast: true) }
        // Moved out: a copy would count references to every part of it, twice.
        var last = ExchangeUpdate(
            id: id, state: state, timeline: update.timeline, isFirst: false)
        swap(&last, &update)
        sink.record(last)
    }

    private func flushLargePiece() {
        var held = update.requestBody.appended.count + update.responseBody.appended.count
        if let frames { held += frames.byteCount }
        held &+= heldMessageByteCount
        // Most exchanges have none, and need not look.
        if sentResponseKept > 0 { held &+= sentResponseBody.count }
        if held >= ExchangeTap.pieceByteCount { flush() }
    }

    /// Returns how many of the bytes are kept.
    private static func append(
        _ octets: Span<UInt8>, to body: inout ExchangeUpdate.BodyProgress, room: Int
    ) -> Int {
        body.byteCount &+= Int64(octets.count)
        let kept = min(room, octets.count)
        guard kept > 0 else { return 0 }
        octets.extracting(0..<kept).withUnsafeBufferPointer {
            body.appended.append(contentsOf: $0)
        }
        return kept
    }
}
