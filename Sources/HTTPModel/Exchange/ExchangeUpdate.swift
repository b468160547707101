/// New information about an exchange since the last update with the same identifier.
///
/// A short exchange is one update that contains everything. A long one consists of several: heads
/// come once, body bytes are appended, and counts and the timeline replace earlier ones.
public struct ExchangeUpdate: Sendable {
    /// New information about the body of one message.
    public struct BodyProgress: Sendable {
        /// Bytes to append to the stored body.
        public var appended: [UInt8] = []
        /// The number of bytes that have passed so far, stored or not.
        public var byteCount: Int64 = 0
        /// Whether the whole message has been received.
        public var isComplete = false

        /// Creates progress without any bytes.
        public init() {}
    }

    /// The identifier of the exchange.
    public let id: ExchangeID
    /// The progress of the exchange.
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
    /// New information about the request body.
    public var requestBody = BodyProgress()
    /// The request trailers, once.
    public var requestTrailers: HeaderFields?
    /// The interim response heads since the last update.
    public var informational: [ResponseHead] = []
    /// The final response head, once.
    public var responseHead: ResponseHead?
    /// New information about the response body.
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
    /// The timeline so far.
    public var timeline: Timeline
    /// Why the exchange failed, if its state is `failed`.
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
    /// Whether this update is the first of its exchange.
    public var isFirst: Bool

    /// Creates an update without any new information.
    public init(id: ExchangeID, state: ExchangeState, timeline: Timeline, isFirst: Bool) {
        self.id = id
        self.state = state
        self.timeline = timeline
        self.isFirst = isFirst
    }

    /// The size of its heads, bodies, trailers, events, frames and messages in bytes.
    public var contentByteCount: Int {
        let trailers =
            (requestTrailers?.bytes.count ?? 0) + (responseTrailers?.bytes.count ?? 0)
        return (requestHead?.bytes.count ?? 0) + (responseHead?.bytes.count ?? 0)
            + requestBody.appended.count + responseBody.appended.count
            + (malformedHead?.count ?? 0) + (requestHeadSent?.count ?? 0) + trailers
            + informational.reduce(0) { $0 + $1.bytes.count }
            + (responseFault?.refusal?.bytes.count ?? 0)
            + events.reduce(0) { $0 + $1.byteCount } + frames.count + messageByteCount
    }

    /// The memory that the messages use, in bytes.
    public var messageByteCount: Int {
        messages.reduce(0) { $0 + $1.heldByteCount + MemoryLayout<MessageRecord>.stride }
    }

    /// Whether a rule acted since the last update.
    public var hasAppliedRules: Bool {
        events.contains { if case .appliedRule = $0 { true } else { false } }
    }

    /// The memory that this update uses, in bytes, for a queue with a byte limit.
    public var heldByteCount: Int {
        512 + contentByteCount + (url?.origin.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }
}
