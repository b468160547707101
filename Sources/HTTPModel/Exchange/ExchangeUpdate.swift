/// New information about an exchange since the last update with the same identifier.
///
/// A short exchange is one update that contains everything. A long one consists of several: heads
/// come once, body bytes are appended, and counts and the timeline replace earlier ones.
public struct ExchangeUpdate: Sendable, Hashable {
    /// New information about the body of one message.
    public struct BodyProgress: Sendable, Hashable {
        /// Bytes to append to the stored body.
        public var appended: [UInt8] = []
        /// The number of bytes that have passed so far, stored or not.
        public var byteCount: Int64 = 0
        /// Whether the whole message has been received.
        public var isComplete = false

        public init() {}
    }

    public package(set) var id: ExchangeID
    public var state: ExchangeState
    /// The client's connection; nil for exchanges that a client library recorded itself.
    public var clientConnection: ConnectionID?
    /// The server's connection; nil until there is one.
    public var serverConnection: ConnectionID?
    /// The absolute URL, once; nil in later updates and if it could not be parsed.
    public var url: RawURL?
    /// The request head as received, once.
    public var requestHead: RequestHead?
    /// The bytes of a request head that could not be parsed, once.
    public var malformedHead: [UInt8]?
    /// How HPACK encoded the fields of `malformedHead`, which is a `FieldList` then; nil if it is
    /// HTTP/1 text.
    public var malformedCodings: [FieldCoding]?
    /// The request head as it was sent to the server, once, if `Request.sentHead` has it.
    public var requestHeadSent: [UInt8]?
    /// Whether the client's Host was forwarded although its absolute target named another host.
    public var keepsForeignHost = false
    public var requestBody = BodyProgress()
    /// The request trailers, once.
    public var requestTrailers: HeaderFields?
    /// The interim response heads since the last update.
    public var informational: [ResponseHead] = []
    /// The final response head, once.
    public var responseHead: ResponseHead?
    public var responseBody = BodyProgress()
    /// How many bytes of a response body the client has been sent so far, stored or not; nil if it
    /// is sent the body that was received.
    public var sentResponseByteCount: Int64?
    /// Whether the rest of the server's response will not be read, because a rule answered.
    public var isResponseAbandoned = false
    /// How long its messages have been held at breakpoints so far, in nanoseconds.
    public var heldNs: Int64 = 0
    /// The response trailers, once.
    public var responseTrailers: HeaderFields?
    /// Errors in the server's response; nil if there are none.
    public var responseFault: ResponseFault?
    /// Other events since the last update, in order.
    public var events: [ExchangeEvent] = []
    public var timeline: Timeline
    public var failure: ExchangeFailure?
    /// The protocol that an Upgrade switched to, in lower case: `websocket`.
    public var upgradedTo: String?
    /// HTTP/2 facts; nil if no HTTP/2 connection was used.
    public var http2: HTTP2Facts?
    /// Frames since the last update, to append to earlier ones, as written by `FrameTimeline`.
    public var frames: [UInt8] = []
    /// Messages since the last update, in order.
    public var messages: [MessageRecord] = []
    /// The number in `grpc-status`; nil until it has arrived.
    public var grpcStatus: Int64?
    /// The user as whom the client has authenticated at the proxy; nil if it has not.
    public var user: String?
    /// The exchange that this one repeats; nil if it repeats none.
    public var replayOf: ExchangeID?
    public var isFirst: Bool

    public init(id: ExchangeID, state: ExchangeState, timeline: Timeline, isFirst: Bool) {
        self.id = id
        self.state = state
        self.timeline = timeline
        self.isFirst = isFirst
    }

    /// The size of its heads, bodies, trailers, events, frames and messages in bytes.
    public var contentByteCount: Int {
        let trailers = (requestTrailers?.bytes.count ?? 0) + (responseTrailers?.bytes.count ?? 0)
        return (requestHead?.bytes.count ?? 0) + (responseHead?.bytes.count ?? 0)
            + requestBody.appended.count + responseBody.appended.count
            + (malformedHead?.count ?? 0) + (requestHeadSent?.count ?? 0) + trailers
            + informational.reduce(0) { $0 + $1.bytes.count }
            + (responseFault?.refusal?.bytes.count ?? 0)
            + events.reduce(0) { $0 + $1.byteCount } + frames.count + messageByteCount
    }

    /// The memory that the messages use, in bytes.
    public var messageByteCount: Int {
        messages.reduce(0) { $0 + $1.memoryByteCount + MemoryLayout<MessageRecord>.stride }
    }

    public var hasAppliedRules: Bool {
        events.contains { if case .appliedRule = $0 { true } else { false } }
    }

    /// The memory that this update uses, in bytes, for a queue with a byte limit.
    public var memoryByteCount: Int {
        512 + contentByteCount + (url?.origin.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }
}

extension ExchangeUpdate {
    /// Merges a later update of the same exchange.
    package mutating func merge(_ later: consuming ExchangeUpdate) {
        state = later.state
        timeline = later.timeline
        clientConnection = later.clientConnection ?? clientConnection
        serverConnection = later.serverConnection ?? serverConnection
        url = later.url ?? url
        requestHead = later.requestHead ?? requestHead
        malformedHead = later.malformedHead ?? malformedHead
        malformedCodings = later.malformedCodings ?? malformedCodings
        requestHeadSent = later.requestHeadSent ?? requestHeadSent
        keepsForeignHost = later.keepsForeignHost || keepsForeignHost
        requestBody.merge(later.requestBody)
        requestTrailers = later.requestTrailers ?? requestTrailers
        informational.append(contentsOf: later.informational)
        responseHead = later.responseHead ?? responseHead
        responseBody.merge(later.responseBody)
        sentResponseByteCount = later.sentResponseByteCount ?? sentResponseByteCount
        isResponseAbandoned = later.isResponseAbandoned || isResponseAbandoned
        heldNs = max(heldNs, later.heldNs)
        responseTrailers = later.responseTrailers ?? responseTrailers
        if let fault = later.responseFault {
            if responseFault == nil { responseFault = fault } else { responseFault?.merge(fault) }
        }
        events.append(contentsOf: later.events)
        if let news = later.http2 {
            if http2 == nil { http2 = news } else { http2?.merge(news) }
        }
        frames.append(contentsOf: later.frames)
        messages.append(contentsOf: later.messages)
        grpcStatus = later.grpcStatus ?? grpcStatus
        failure = later.failure ?? failure
        upgradedTo = later.upgradedTo ?? upgradedTo
        replayOf = later.replayOf ?? replayOf
    }
}

extension ExchangeUpdate.BodyProgress {
    /// Merges later progress of the same body; the queue never admits bytes after a gap.
    fileprivate mutating func merge(_ later: Self) {
        if appended.isEmpty {
            appended = later.appended
        } else {
            appended.append(contentsOf: later.appended)
        }
        byteCount = max(byteCount, later.byteCount)
        isComplete = isComplete || later.isComplete
    }
}

/// An event of an exchange other than the arrival of its messages: something was sent in another
/// form than it arrived, or a rule acted.
public enum ExchangeEvent: Sendable, Hashable {
    /// A piece of the request body as it was sent to the server, without transfer coding. The
    /// pieces make up the beginning of the body, up to the limit for stored bodies.
    case sentRequestBody([UInt8])
    /// The response head as it was sent to the client, without framing and connection fields; at
    /// most once.
    case sentResponseHead([UInt8])
    /// A piece of the response body as it was sent to the client, like that of the request.
    case sentResponseBody([UInt8])
    /// The client received nothing of the response that the server sent.
    case responseWithheld
    /// A rule acted, or would have; all of these events are kept, in order.
    case appliedRule(AppliedRule)
    /// A rule added a tag, in addition to those of users. A tag that the exchange already has is
    /// not added again.
    case tagged(String)

    public var isBody: Bool {
        switch self {
        case .sentRequestBody, .sentResponseBody: true
        case .sentResponseHead, .responseWithheld, .appliedRule, .tagged: false
        }
    }

    public var byteCount: Int {
        switch self {
        case .sentRequestBody(let bytes), .sentResponseHead(let bytes),
            .sentResponseBody(let bytes):
            bytes.count
        case .responseWithheld: 0
        case .appliedRule(let rule): rule.byteCount
        case .tagged(let tag): tag.utf8.count
        }
    }
}

extension ExchangeUpdate {
    /// Creates a single update with everything in an exchange but its connections and annotations.
    public init(_ exchange: Exchange, id: ExchangeID) {
        self.init(id: id, state: exchange.state, timeline: exchange.timeline, isFirst: true)
        url = exchange.request.url
        requestHead = exchange.request.head
        malformedCodings = exchange.request.malformedCodings
        requestHeadSent = exchange.request.sentHead?.bytes
        keepsForeignHost = exchange.request.keepsForeignHost
        requestBody = BodyProgress(exchange.request.body)
        requestTrailers = exchange.request.trailers
        informational = exchange.informational
        if let response = exchange.response {
            responseHead = response.head
            responseBody = BodyProgress(response.body)
            responseTrailers = response.trailers
            sentResponseByteCount = response.isWithheld ? 0 : response.sentBody?.byteCount
            isResponseAbandoned = response.body.isAbandoned
        }
        heldNs = exchange.heldNs ?? 0
        responseFault = exchange.responseFault
        failure = exchange.failure
        upgradedTo = exchange.upgradedTo
        http2 = exchange.http2
        frames = exchange.frames
        replayOf = exchange.replayOf
        user = exchange.user
        events = exchange.events
    }
}

extension ExchangeUpdate.BodyProgress {
    /// A body that will not grow.
    fileprivate init(_ body: Body) {
        appended = body.kept
        byteCount = body.byteCount
        isComplete = !body.isAbandoned
    }
}

extension Exchange {
    /// Events for what was sent in another form than it arrived, and for what rules did. They do
    /// not include the head that was sent to the server, which has its own property in an update.
    public var events: [ExchangeEvent] {
        var events: [ExchangeEvent] = []
        if let body = request.sentBody { events.append(.sentRequestBody(body.kept)) }
        if let head = response?.sentHead { events.append(.sentResponseHead(head.bytes)) }
        if let body = response?.sentBody { events.append(.sentResponseBody(body.kept)) }
        if let response, response.isWithheld { events.append(.responseWithheld) }
        return events + appliedRules.map(ExchangeEvent.appliedRule)
    }
}

/// What a rule did to an exchange, in the form that is recorded.
public struct AppliedRule: Sendable, Hashable {
    /// The phase in which a rule acts; the raw values are stored in the database.
    public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
        /// Before a server is connected to.
        case connect
        case request
        case response
    }

    /// When a message was held.
    public struct Hold: Sendable, Hashable {
        /// When the hold began, in nanoseconds from the start of the exchange. An actor gives the
        /// monotonic clock instead.
        public var startNs: Int64
        /// How long it lasted, in nanoseconds.
        public var durationNs: Int64

        /// Creates the time of a hold; a negative duration is 0.
        public init(startNs: Int64, durationNs: Int64) {
            self.startNs = startNs
            self.durationNs = max(0, durationNs)
        }
    }

    public let rule: String
    public let phase: Phase
    /// One or a few words: `changed`, `unchanged`, `answered`, `blocked`, `delayed`, `throttled`,
    /// `held`, `routed`, `tagged`, `failed`; or why nothing was done: `no body`, `not JSON`.
    public let outcome: String
    /// Further details; nil if there are none.
    public let detail: String?
    /// When the rule held the message; nil if it did not, or if no one noted it.
    public var hold: Hold?

    public init(
        rule: String, phase: Phase, outcome: String, detail: String? = nil, hold: Hold? = nil
    ) {
        self.rule = rule
        self.phase = phase
        self.outcome = outcome
        self.detail = detail
        self.hold = hold
    }

    /// Whether the client got a rule's answer, or no answer because of a rule.
    public var isAnswer: Bool {
        switch outcome {
        case "answered", "blocked": true
        case "held": ["answered", "dropped"].contains { detail?.hasSuffix($0) ?? false }
        default: false
        }
    }

    /// Returns the names of rules without repetitions, in the order of their first occurrence.
    public static func names(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    public var byteCount: Int {
        rule.utf8.count + outcome.utf8.count + (detail?.utf8.count ?? 0)
    }
}

/// Receives exchanges to record: the store's recorder, or a connection to a running daemon's
/// control socket.
///
/// All methods are safe on any thread and never wait for the disk.
public protocol ExchangeSink: AnyObject, Sendable {
    func nextExchangeID() -> ExchangeID
    func nextConnectionID() -> ConnectionID
    func record(_ update: consuming ExchangeUpdate)
    /// Records what is known about a connection; replaces earlier information.
    func record(_ connection: ConnectionRecord)
    /// Whether more is waiting than the queue should keep. A caller that can should stop reading
    /// until `whenDrained` calls back.
    var isCongested: Bool { get }
    /// Calls back once, on any thread, when the queue has room again; immediately if it has room
    /// now.
    func whenDrained(_ resume: @escaping @Sendable () -> Void)
}
