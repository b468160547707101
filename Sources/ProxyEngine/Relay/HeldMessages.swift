internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// What has come of a message's content while its head waits for an actor.
struct HeldContent {
    /// The body so far, after transfer-coding.
    var body: [UInt8] = []
    var trailers: HeaderFields?
    /// Whether all of it has come.
    var isComplete = false
    /// How many bytes the actor wants to see before it decides; nil where a head will do.
    var wantedByteCountMax: Int?
    /// What the bytes that are held are taken from.
    private var reservation: ByteReservation?

    /// Whether so much waits that its source should rest. Of a body that the actor wants to see,
    /// the end is waited for.
    var isMuch: Bool {
        body.count >= StreamWatermarks.highByteCount && (wantedByteCountMax == nil || isTooLarge)
    }

    /// Whether there is more than the actor wants to see, or than there is room for.
    var isTooLarge: Bool {
        body.count > wantedByteCountMax ?? .max || reservation?.isShort == true
    }

    /// Holds the body back until all of it is there.
    mutating func want(byteCountMax: Int, from budget: ByteBudget?) {
        wantedByteCountMax = byteCountMax
        reservation = budget.map(ByteReservation.init)
        reservation?.grow(to: body.count)
    }

    mutating func append(_ octets: Span<UInt8>) {
        octets.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        reservation?.grow(to: body.count)
    }
}

/// What an exchange has that something may act on. Confined to its loop.
final class HeldMessages {
    let traffic: any TrafficActor
    var actor: (any ExchangeActor)?
    /// The request's head as it came.
    private(set) var requestHead: RequestHead?
    private var requestURL: RawURL?
    private var requestLength: BodyLength?
    /// The request and where it goes, until it has gone.
    var request: OutgoingRequest?
    var prepared: PreparedConnection?
    /// Whether nothing is asked before the request's end.
    var waitsForEnd = false
    var requestContent = HeldContent()
    /// The final response, until it has gone.
    var response: ForwardedResponse?
    /// Its head as it came, and how its body ended.
    var responseHead: ResponseHead?
    var responseLength: BodyLength?
    var responseContent = HeldContent()
    /// What changes the response's body on its way; nil where nothing does.
    var editedBody: EditedBody?
    /// A server that has switched protocols, until its head has gone.
    var switched: SwitchedServer?
    /// Whether the response goes on without the body that comes with it.
    var dropsResponseBody = false
    /// Gives up the decision that is waited for.
    private var withdraw: (() -> Void)?
    /// The flows of bodies whose pace is acted on.
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

    /// Marks a request that is not what came any more.
    func noteChangedRequest() {
        guard let message = request?.message,
            message.head != requestHead || message.url != requestURL
                || !message.body.isSame(as: requestLength)
        else { return }
        changeRequest { $0.options.isChanged = true }
    }

    /// Changes what goes on of the request, to the same server.
    func changeRequest(_ change: (inout ForwardedRequest) -> Void) {
        guard let request else { return }
        var message = request.message
        change(&message)
        self.request = OutgoingRequest(target: request.target, message: message)
    }

    /// Puts a question; `then` hears the answer, unless all is withdrawn before.
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

    /// Sends a piece of the response's body at its pace, or at once where it has none.
    func send(_ octets: Span<UInt8>, else deliver: (Span<UInt8>) -> Void) {
        if let downstreamFlow { downstreamFlow.push(octets) } else { deliver(octets) }
    }

    /// Whether a decision, an edit or a pace is waited for.
    var isUndecided: Bool {
        withdraw != nil || editedBody?.isEditing == true || upstreamFlow?.isHolding == true
            || downstreamFlow?.isHolding == true
    }

    /// The exchange is over: nothing is waited for any more.
    func end() {
        // What it was asked last it can still note something about.
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
    }
}

extension BodyLength {
    /// Whether two bodies end the same way: none is as good as an empty one.
    func isSame(as other: BodyLength?) -> Bool {
        let isNothing = self == .none || self == .exactly(0)
        return self == other || (isNothing && (other == BodyLength.none || other == .exactly(0)))
    }
}
