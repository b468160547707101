internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// The content of a message that has arrived while its head waits for an actor.
struct HeldContent {
    /// The body so far, with transfer coding removed.
    var body: [UInt8] = []
    var trailers: HeaderFields?
    /// Whether all of the content has arrived.
    var isComplete = false
    /// How many bytes the actor wants to see before it decides; nil if the head is enough.
    var wantedByteCountMax: Int?
    /// The budget reservation for the held bytes.
    private var reservation: ByteReservation?

    /// Whether enough bytes wait that the source should be paused. If the actor wants to see the
    /// whole body, reading continues until its end.
    var isMuch: Bool {
        body.count >= StreamWatermarks.highByteCount && (wantedByteCountMax == nil || isTooLarge)
    }

    /// Whether the body is larger than the actor wants to see, or than the budget has room for.
    var isTooLarge: Bool {
        body.count > wantedByteCountMax ?? .max || reservation?.isShort == true
    }

    /// Holds the body until it is complete.
    mutating func want(byteCountMax: Int, from budget: ByteBudget?) {
        wantedByteCountMax = byteCountMax
        reservation = budget.map(ByteReservation.init)
        reservation?.grow(to: body.count)
    }

    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        reservation?.grow(to: body.count)
    }
}

/// The messages of an exchange that an actor may act on. Confined to its loop.
final class HeldMessages {
    let traffic: any TrafficActor
    var actor: (any ExchangeActor)?
    /// The request's head as it came.
    private(set) var requestHead: RequestHead?
    private var requestURL: RawURL?
    private var requestLength: BodyLength?
    /// The request and its target, until it is sent.
    var request: OutgoingRequest?
    var prepared: PreparedConnection?
    /// Whether the actor is asked only once the request has ended.
    var waitsForEnd = false
    var requestContent = HeldContent()
    /// The final response, until it is sent.
    var response: ForwardedResponse?
    /// The response's head as it came, and the framing of its body.
    var responseHead: ResponseHead?
    var responseLength: BodyLength?
    var responseContent = HeldContent()
    /// Changes the response body while it streams; nil if nothing does.
    var editedBody: EditedBody?
    /// A server that has switched protocols, until its head is sent.
    var switched: SwitchedServer?
    /// Whether the response is sent without the body that came with it.
    var dropsResponseBody = false
    /// The actor's answer, until all of it has been sent.
    var answerBody: AnswerBody?
    /// Withdraws the decision that is pending; nil if none is.
    private var withdraw: (() -> Void)?
    /// The flows of paced bodies; nil if there is no pace.
    var upstreamFlow: PacedFlow?
    var downstreamFlow: PacedFlow?

    init(_ traffic: any TrafficActor) { self.traffic = traffic }

    /// Takes a request whose head is complete.
    func begin(_ request: consuming OutgoingRequest, prepared: PreparedConnection?) {
        requestHead = request.message.head
        requestURL = request.message.url
        requestLength = request.message.body
        self.request = request
        self.prepared = prepared
    }

    /// Marks the request as changed if it differs from what the client sent.
    func noteChangedRequest() {
        guard let message = request?.message,
            message.head != requestHead || message.url != requestURL
                || !message.body.isSame(as: requestLength)
        else { return }
        changeRequest { $0.options.isChanged = true }
    }

    /// Changes the request to forward, but not its target.
    func changeRequest(_ change: (inout ForwardedRequest) -> Void) {
        guard let request else { return }
        var message = request.message
        change(&message)
        self.request = OutgoingRequest(target: request.target, message: message)
    }

    /// Asks a question; `then` gets the answer, unless the question is withdrawn before.
    func ask<Verdict>(
        on loop: EventLoop, recordingIn tap: ExchangeTap,
        _ question: (Decision<Verdict>) -> Void, then: @escaping (Verdict) -> Void
    ) {
        let decision = Decision<Verdict>(on: loop, noting: { tap.record($0) }) {
            [weak self] verdict in
            self?.withdraw = nil
            then(verdict)
        }
        withdraw = { decision.withdraw() }
        question(decision)
    }

    /// Whether the server's response has a body of which a part has not been read.
    var isResponseUnread: Bool {
        !responseContent.isComplete && !BodyLength.none.isSame(as: responseLength)
    }

    /// Sends a piece of the response body at its pace, or immediately if there is none.
    func send(_ bytes: Span<UInt8>, else deliver: (Span<UInt8>) -> Void) {
        if let downstreamFlow { downstreamFlow.push(bytes) } else { deliver(bytes) }
    }

    /// Whether a decision, an edit or a pace is pending.
    var isUndecided: Bool {
        withdraw != nil || editedBody?.isEditing == true || upstreamFlow?.isHolding == true
            || downstreamFlow?.isHolding == true
    }

    /// Ends everything that is pending, because the exchange is over.
    func end() {
        // The pending decision is withdrawn last, so that the actor can still record events.
        editedBody?.cancel()
        editedBody = nil
        actor?.exchangeEnded()
        actor = nil
        withdraw?()
        withdraw = nil
        upstreamFlow?.cancel()
        downstreamFlow?.cancel()
        switched?.stream.abort()
        switched = nil
        requestHead = nil
        request = nil
        response = nil
        answerBody = nil
    }
}

/// The body of an actor's answer, and how much of it has been sent.
struct AnswerBody {
    private static let pieceByteCount = 64 << 10

    let bytes: [UInt8]
    /// Whether it is the recorded response.
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

extension BodyLength {
    /// Whether two bodies have the same framing; no body equals an empty one.
    func isSame(as other: BodyLength?) -> Bool {
        let isNothing = self == .none || self == .exactly(0)
        return self == other || (isNothing && (other == BodyLength.none || other == .exactly(0)))
    }
}
