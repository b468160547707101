/// What has become known of an exchange since the last update of the same id.
///
/// A short exchange is one update that holds everything. A long one is several: heads come once,
/// body octets are appended, counts and the timeline replace the earlier ones.
public struct ExchangeUpdate: Sendable {
    /// One message's news.
    public struct BodyProgress: Sendable {
        /// Octets to append to the kept body.
        public var appended: [UInt8] = []
        /// Octets that passed so far, kept or not.
        public var byteCount: Int64 = 0
        /// Whether the whole message has been seen.
        public var isComplete = false

        /// Nothing yet.
        public init() {}
    }

    /// Which exchange.
    public let id: ExchangeID
    /// How far it is.
    public var state: ExchangeState
    /// The client's leg; nil for exchanges that a client library recorded by itself.
    public var clientConnection: ConnectionID?
    /// The server's leg, once there is one.
    public var serverConnection: ConnectionID?
    /// The absolute URL, once; nil in later updates and where it could not be read.
    public var url: RawURL?
    /// The request head as received, once.
    public var requestHead: RequestHead?
    /// The octets of a request head that could not be parsed, once.
    public var malformedHead: [UInt8]?
    /// How the fields of `malformedHead` were written, where it came over HTTP/2 and is a
    /// `FieldList`; nil where it is text.
    public var malformedCodings: [FieldCoding]?
    /// The request head as it went to the server, once, where `Request.sentHead` has it.
    public var requestHeadSent: [UInt8]?
    /// Whether the client's Host went on although its absolute target named another host.
    public var keepsForeignHost = false
    /// Progress of the request body.
    public var requestBody = BodyProgress()
    /// Request trailers, once.
    public var requestTrailers: HeaderFields?
    /// Interim response heads since the last update.
    public var informational: [ResponseHead] = []
    /// The final response head, once.
    public var responseHead: ResponseHead?
    /// Progress of the response body.
    public var responseBody = BodyProgress()
    /// Response trailers, once.
    public var responseTrailers: HeaderFields?
    /// What was wrong with the server's response, where anything was.
    public var responseFault: ResponseFault?
    /// What else happened since the last update, in that order.
    public var events: [ExchangeEvent] = []
    /// The timeline so far.
    public var timeline: Timeline
    /// Why it failed, with state `failed`.
    public var failure: ExchangeFailure?
    /// The protocol that an Upgrade switched to, in lower case: `websocket`.
    public var upgradedTo: String?
    /// What HTTP/2 adds; nil where no connection of it was used.
    public var http2: HTTP2Facts?
    /// Frames since the last update, to append to the earlier ones: bytes of `FrameTimeline`.
    public var frames: [UInt8] = []
    /// Messages since the last update, in their order.
    public var messages: [MessageRecord] = []
    /// The number in `grpc-status`, once it came.
    public var grpcStatus: Int64?
    /// The exchange this one repeats.
    public var replayOf: ExchangeID?
    /// Whether this update is the first of its exchange.
    public var isFirst: Bool

    /// News of an exchange.
    public init(id: ExchangeID, state: ExchangeState, timeline: Timeline, isFirst: Bool) {
        self.id = id
        self.state = state
        self.timeline = timeline
        self.isFirst = isFirst
    }

    /// Octets of heads, bodies and trailers in it.
    public var contentByteCount: Int {
        let trailers =
            (requestTrailers?.octets.count ?? 0) + (responseTrailers?.octets.count ?? 0)
        return (requestHead?.octets.count ?? 0) + (responseHead?.octets.count ?? 0)
            + requestBody.appended.count + responseBody.appended.count
            + (malformedHead?.count ?? 0) + (requestHeadSent?.count ?? 0) + trailers
            + informational.reduce(0) { $0 + $1.octets.count }
            + (responseFault?.refusal?.octets.count ?? 0)
            + events.reduce(0) { $0 + $1.byteCount } + frames.count + messageByteCount
    }

    /// Bytes that the messages hold on to, with what each takes itself.
    public var messageByteCount: Int {
        messages.reduce(0) { $0 + $1.heldByteCount + MemoryLayout<MessageRecord>.stride }
    }

    /// Whether a rule applied since the last update.
    public var hasAppliedRules: Bool {
        events.contains { if case .appliedRule = $0 { true } else { false } }
    }

    /// Octets this update holds on to, for a queue bounded in bytes.
    public var heldByteCount: Int {
        512 + contentByteCount + (url?.origin.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }
}
