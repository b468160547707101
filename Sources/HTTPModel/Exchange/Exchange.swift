/// One request and its response, with everything known about them: the value that is captured,
/// stored, shown, exported and sent again.
public struct Exchange: Sendable, Hashable {
    /// What users added to an exchange.
    public struct Annotations: Sendable, Hashable {
        /// A note as free text; nil if there is none.
        public var note: String?
        /// Tags in the order in which they were given.
        public var tags: [String]
        /// Whether automatic deletion must spare the exchange.
        public var isPinned: Bool

        /// Creates annotations; empty by default.
        public init(note: String? = nil, tags: [String] = [], isPinned: Bool = false) {
            self.note = note
            self.tags = tags
            self.isPinned = isPinned
        }
    }

    /// The identifier of the exchange.
    public let id: ExchangeID
    /// The progress of the exchange.
    public var state: ExchangeState
    /// The request.
    public var request: Request
    /// The response; nil if there is none yet.
    public var response: Response?
    /// Interim responses, in the order in which they arrived.
    public var informational: [ResponseHead]
    /// When each step of the exchange happened.
    public var timeline: Timeline
    /// The client's connection; nil if it is unknown.
    public var client: ConnectionRecord?
    /// The server's connection; nil if none was made.
    public var server: ConnectionRecord?
    /// Errors in what the server sent; nil if there were none.
    public var responseFault: ResponseFault?
    /// Why the exchange failed; nil if it did not.
    public var failure: ExchangeFailure?
    /// What rules did, in the order in which they did it.
    public var appliedRules: [AppliedRule] = []
    /// How long its messages were held at breakpoints, in nanoseconds; 0 if they were not, nil if
    /// that is not known.
    public var heldNs: Int64? {
        let count = appliedRules.count { $0.outcome == "held" }
        return holds.count == count ? holds.reduce(0) { $0 &+ $1.durationNs } : nil
    }
    /// When messages were held at breakpoints, in order.
    public var holds: [AppliedRule.Hold] { appliedRules.compactMap(\.hold) }
    /// The user as whom the client authenticated at the proxy; nil if it did not.
    public var user: String?
    /// The protocol that an Upgrade switched to; nil if there was none.
    public var upgradedTo: String?
    /// HTTP/2 facts; nil if no HTTP/2 connection was used.
    public var http2: HTTP2Facts?
    /// The HTTP/2 frames that carried the exchange, as written by `FrameTimeline`; empty if none
    /// were kept.
    public var frames: [UInt8] = []
    /// The exchange that this one repeats; nil if it repeats none.
    public var replayOf: ExchangeID?
    /// The note, tags and pin of the exchange.
    public var annotations: Annotations

    /// Creates an exchange.
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
