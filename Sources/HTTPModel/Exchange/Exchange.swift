/// One request and its response, with everything known about them: the value that is captured,
/// stored, shown, exported and sent again.
public struct Exchange: Sendable, Hashable {
    /// What people added to it.
    public struct Annotations: Sendable, Hashable {
        /// Free text; nil where none.
        public var note: String?
        /// Tags in the order given.
        public var tags: [String]
        /// Whether retention must leave it alone.
        public var isPinned: Bool

        /// Annotations, none by default.
        public init(note: String? = nil, tags: [String] = [], isPinned: Bool = false) {
            self.note = note
            self.tags = tags
            self.isPinned = isPinned
        }
    }

    /// Its number.
    public let id: ExchangeID
    /// How far it is.
    public var state: ExchangeState
    /// The request.
    public var request: Request
    /// The response; nil while there is none.
    public var response: Response?
    /// Interim responses that came before the final one.
    public var informational: [ResponseHead]
    /// When everything happened.
    public var timeline: Timeline
    /// The client's leg; nil where none is known.
    public var client: ConnectionRecord?
    /// The server's leg; nil where none was made.
    public var server: ConnectionRecord?
    /// What was wrong with what the server sent; nil where nothing was.
    public var responseFault: ResponseFault?
    /// Why it failed; nil where it did not.
    public var failure: ExchangeFailure?
    /// What rules did, in the order in which they did it.
    public var appliedRules: [AppliedRule] = []
    /// The protocol that an Upgrade switched to.
    public var upgradedTo: String?
    /// What HTTP/2 adds; nil where no connection of it was used.
    public var http2: HTTP2Facts?
    /// The frames of HTTP/2 that carried it, as `FrameTimeline` writes them; empty where none were
    /// kept.
    public var frames: [UInt8] = []
    /// The exchange this one repeats.
    public var replayOf: ExchangeID?
    /// Note, tags, pin.
    public var annotations: Annotations

    /// Assembles an exchange.
    public init(
        id: ExchangeID, state: ExchangeState, request: Request, response: Response?,
        informational: [ResponseHead] = [], timeline: Timeline, client: ConnectionRecord? = nil,
        server: ConnectionRecord? = nil, failure: ExchangeFailure? = nil,
        upgradedTo: String? = nil, replayOf: ExchangeID? = nil,
        annotations: Annotations = Annotations()
    ) {
        self.id = id
        self.state = state
        self.request = request
        self.response = response
        self.informational = informational
        self.timeline = timeline
        self.client = client
        self.server = server
        self.failure = failure
        self.upgradedTo = upgradedTo
        self.replayOf = replayOf
        self.annotations = annotations
    }
}
