internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// What is kept of an exchange while an actor acts on it. Confined to its loop.
final class ActorState {
    let trafficActor: any TrafficActor
    var exchangeActor: (any ExchangeActor)?
    /// The decision that the actor has been asked for; nil if there is none.
    var openDecision: (any PendingDecision)?

    /// The request's head as it came.
    let requestHead: RequestHead
    private let requestURL: RawURL
    private let requestLength: BodyLength
    /// The request and its target, until it is sent.
    var request: OutgoingRequest?
    private var prepared: PreparedConnection?
    /// Whether the actor is asked only once the request has ended. The end of a request without
    /// content follows immediately: an actor that answers finds the request complete, and the
    /// client's connection stays open.
    var waitsForEnd: Bool
    private(set) var requestContent = PendingContent()

    /// The final response, until it is sent.
    var response: ForwardedResponse?
    /// The response's head as it came, and the framing of its body.
    private(set) var responseHead: ResponseHead?
    private(set) var responseLength: BodyLength?
    private(set) var responseContent = PendingContent()
    /// Whether the response is sent without the body that came with it.
    var dropsResponseBody = false
    /// A server that has switched protocols, until its head is sent.
    var switched: SwitchedServer?
    /// The actor's answer, until all of it has been sent.
    var answerBody: AnswerBody?

    /// Changes the response body while it streams; nil if nothing does.
    var editedBody: EditedBody?
    /// The flows of paced bodies; nil if there is no pace.
    var requestFlow: PacedFlow?
    var responseFlow: PacedFlow?

    init(
        _ trafficActor: any TrafficActor, _ request: consuming OutgoingRequest,
        _ prepared: PreparedConnection?
    ) {
        self.trafficActor = trafficActor
        requestHead = request.message.head
        requestURL = request.message.url
        requestLength = request.message.body
        waitsForEnd = request.message.body.isSame(as: BodyLength.none)
        self.request = request
        self.prepared = prepared
    }

    func content(of half: ExchangeHalf) -> PendingContent {
        half == .request ? requestContent : responseContent
    }

    /// Changes the request to forward, but not its target.
    func changeRequest(_ change: (inout ForwardedRequest) -> Void) {
        guard let request else { return }
        var message = request.message
        change(&message)
        self.request = OutgoingRequest(target: request.target, message: message)
    }

    func retarget(_ change: (ConnectTarget) -> ConnectTarget) {
        guard let request else { return }
        let target = change(request.target)
        // A connection that is already established leads where CONNECT said.
        if target != request.target { prepared = nil }
        self.request = OutgoingRequest(target: target, message: request.message)
    }

    /// Marks the request as changed if it differs from what the client sent.
    func noteChangedRequest() {
        guard let message = request?.message,
            message.head != requestHead || message.url != requestURL
                || !message.body.isSame(as: requestLength)
        else { return }
        changeRequest { $0.options.isChanged = true }
    }

    /// Returns the request, with the part of its body that has arrived.
    func takeRequest() -> (OutgoingRequest, PreparedConnection?, PendingContent)? {
        guard let request else { return nil }
        defer {
            self.request = nil
            prepared = nil
            requestContent = PendingContent()
        }
        return (request, prepared, requestContent)
    }

    func setResponse(_ response: ForwardedResponse, received head: ResponseHead) {
        self.response = response
        responseHead = head
        responseLength = response.body
    }

    func setSwitched(_ switched: SwitchedServer) {
        self.switched = switched
        responseContent.end()
    }

    /// Returns the part of the response's body that has arrived; what follows is not kept.
    func takeResponse() -> PendingContent {
        response = nil
        defer { responseContent = PendingContent() }
        return responseContent
    }

    /// Whether the server's response has a body of which a part has not been read.
    var isResponseUnread: Bool {
        if switched != nil { return true }
        return !responseContent.isComplete && !BodyLength.none.isSame(as: responseLength)
    }

    /// Whether a decision, an edit or a pace is pending.
    var isUndecided: Bool {
        openDecision != nil || editedBody?.isEditing == true || requestFlow?.isWaiting == true
            || responseFlow?.isWaiting == true
    }

    /// Ends everything that is pending, because the exchange is over.
    func end() {
        // The open decision is withdrawn last, so that the actor can still record events.
        editedBody?.cancel()
        editedBody = nil
        exchangeActor?.exchangeEnded()
        exchangeActor = nil
        openDecision?.withdraw()
        openDecision = nil
        requestFlow?.cancel()
        responseFlow?.cancel()
        switched?.stream.abort()
        switched = nil
        request = nil
        response = nil
        answerBody = nil
    }
}

/// What has arrived of a message while an actor is asked about it. Confined to its loop.
final class PendingContent {
    private enum Phase {
        /// The head is enough.
        case head
        /// The actor is asked once the body is complete, or has more bytes than this.
        case wanted(byteCountMax: Int)
        case asked(isWhole: Bool)
    }

    /// The body so far, with transfer coding removed.
    private(set) var body: [UInt8] = []
    /// Those of a request.
    private(set) var trailers: HeaderFields?
    private(set) var isComplete = false
    private var phase = Phase.head
    private var reservation: ByteReservation?

    /// Whether the actor has only been asked about the head.
    var isUnasked: Bool { if case .head = phase { true } else { false } }

    /// Whether the actor has been asked about the whole body.
    var wasWhole: Bool { if case .asked(isWhole: true) = phase { true } else { false } }

    var isUntouched: Bool { body.isEmpty && !isComplete }

    /// Whether enough bytes wait that the source should be paused. If the actor wants to see the
    /// whole body, reading continues until its end.
    var shouldPause: Bool {
        guard body.count >= StreamWatermarks.highByteCount else { return false }
        if case .wanted = phase { return isTooLarge }
        return true
    }

    /// Whether the body is larger than the actor wants to see, or than the budget has room for.
    private var isTooLarge: Bool {
        if case .wanted(let byteCountMax) = phase, body.count > byteCountMax { return true }
        return reservation?.isShort == true
    }

    /// Keeps the body until it is complete.
    func want(byteCountMax: Int, from budget: ByteBudget?) {
        phase = .wanted(byteCountMax: byteCountMax)
        reservation = budget.map(ByteReservation.init)
        reservation?.grow(to: body.count)
    }

    /// What the actor is asked about now; nil if it wants no body, or more of it is awaited.
    func takeWanted() -> BodySnapshot? {
        guard case .wanted = phase, isComplete || isTooLarge else { return nil }
        let isWhole = !isTooLarge
        phase = .asked(isWhole: isWhole)
        return isWhole ? .whole(body) : .tooLarge
    }

    func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        reservation?.grow(to: body.count)
    }

    func end(_ trailers: HeaderFields? = nil) {
        isComplete = true
        self.trailers = trailers
    }

    /// Replaces the body; returns whether it is another one, of which digests are wrong.
    func replace(with body: [UInt8]) -> Bool {
        guard body != self.body else { return false }
        self.body = body
        trailers?.removeDigests()
        return true
    }
}

/// The body of an actor's answer, and how much of it has been sent.
struct AnswerBody {
    private static let pieceByteCount = 64 << 10

    let bytes: [UInt8]
    let isRecorded: Bool
    /// Whether a piece is being sent: that may resume the source.
    var isSending = false
    private var sentCount = 0

    init(bytes: [UInt8], isRecorded: Bool) {
        self.bytes = bytes
        self.isRecorded = isRecorded
    }

    var isSent: Bool { sentCount == bytes.count }

    /// Takes the next piece; nil at the end.
    mutating func next() -> [UInt8]? {
        let end = min(bytes.count, sentCount + AnswerBody.pieceByteCount)
        guard sentCount < end else { return nil }
        defer { sentCount = end }
        return Array(bytes[sentCount..<end])
    }
}

/// A server's connection that uses another protocol from now on.
struct SwitchedServer {
    let stream: any DuplexStream
    /// The protocol, as the response head names it.
    let name: String
    /// The response head that agreed to switch.
    let head: ResponseHead
    let early: [UInt8]
}

extension BodyLength {
    /// Whether two bodies have the same framing; no body equals an empty one.
    func isSame(as other: BodyLength?) -> Bool {
        let isNothing = self == .none || self == .exactly(0)
        return self == other || (isNothing && (other == BodyLength.none || other == .exactly(0)))
    }
}
