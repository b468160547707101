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

        public init(note: String? = nil, tags: [String] = [], isPinned: Bool = false) {
            self.note = note
            self.tags = tags
            self.isPinned = isPinned
        }
    }

    public let id: ExchangeID
    public var state: ExchangeState
    public var request: Request
    public var response: Response?
    /// Interim responses, in the order in which they arrived.
    public var informational: [ResponseHead]
    public var timeline: Timeline
    /// The client's connection; nil if it is unknown.
    public var client: ConnectionRecord?
    /// The server's connection; nil if none was made.
    public var server: ConnectionRecord?
    /// Errors in what the server sent; nil if there were none.
    public var responseFault: ResponseFault?
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
    public var annotations: Annotations

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

/// The progress of an exchange.
public enum ExchangeState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The exchange has not ended; includes open tunnels.
    case active
    /// The exchange ended as defined by HTTP.
    case complete
    case failed
    /// A closed tunnel that was relayed unread; the body byte counts are the bytes relayed in each
    /// direction.
    case tunnel
}

/// The protocol of an exchange, by its most specific name.
public enum ExchangeProtocol: String, Sendable, Hashable, CaseIterable {
    /// HTTP/1.0 or HTTP/1.1.
    case http1 = "h1"
    /// HTTP/2 over TLS.
    case http2 = "h2"
    /// HTTP/2 without TLS.
    case http2Clear = "h2c"
    case http3 = "h3"
    /// WebSocket (RFC 6455, RFC 8441).
    case webSocket = "ws"
    case grpc
    case grpcWeb = "grpcweb"
    case eventStream = "sse"
    /// Bytes that were relayed unread.
    case tunnel

    /// Whether such exchanges contain messages in addition to a request and a response.
    public var hasMessages: Bool {
        switch self {
        case .webSocket, .grpc, .grpcWeb, .eventStream: true
        case .http1, .http2, .http2Clear, .http3, .tunnel: false
        }
    }

    /// Determines the protocol from the known properties of an exchange; nil if they are not
    /// sufficient.
    public init?(
        state: ExchangeState, upgradedTo: String?, requestType: String?, responseType: String?,
        version: HTTPVersion?, scheme: String?
    ) {
        let request = (requestType ?? "").lowercased()
        if state == .tunnel {
            self = .tunnel
        } else if upgradedTo == "websocket" {
            self = .webSocket
        } else if request.hasPrefix("application/grpc-web") {
            self = .grpcWeb
        } else if request.hasPrefix("application/grpc") {
            self = .grpc
        } else if (responseType ?? "").lowercased().hasPrefix("text/event-stream") {
            self = .eventStream
        } else if let version {
            switch version {
            case .http3: self = .http3
            case .http2: self = scheme == "http" ? .http2Clear : .http2
            default: self = .http1
            }
        } else {
            return nil
        }
    }
}

/// The number of an exchange in its store: ascending, never reused.
public struct ExchangeID: RawRepresentable, Sendable, Hashable, Codable, Comparable,
    CustomStringConvertible
{
    /// The number, 1 or more.
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public var description: String { String(rawValue) }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a connection, on either side of the proxy, in its store: ascending, never reused.
public struct ConnectionID: RawRepresentable, Sendable, Hashable, Codable, Comparable,
    CustomStringConvertible
{
    /// The number, 1 or more.
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public var description: String { String(rawValue) }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The identifier of a stream on an HTTP/2 connection (RFC 9113 §5.1.1): odd if the client opened
/// it.
public struct StreamID: RawRepresentable, Sendable, Hashable, Codable, Comparable,
    CustomStringConvertible
{
    /// The number, 1…2³¹−1.
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public var description: String { String(rawValue) }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ExchangeID {
    /// Whether a store that recorded the exchange itself can have given it this number. All others
    /// are identifiers in a store of many stores.
    public var isOwnNumber: Bool { rawValue >> ExchangeName.numberBits == 0 }
}

/// How users name an exchange: `4711`, or `ci-17:4711` where a store has the exchanges of many
/// stores.
public struct ExchangeName: Sendable, Hashable, CustomStringConvertible {
    /// The name of the store that recorded the exchange, or nil in that store itself.
    public let storeName: String?
    /// The exchange's number in the store that recorded it.
    public let number: Int64

    /// The number of low bits of an `ExchangeID` in a store of many stores that are the number in
    /// the store that recorded it. The bits above them tell these stores apart.
    public static let numberBits: Int64 = 34

    /// Names an exchange. `storeName` is nil if the identifier is from the store that recorded it.
    public init(_ id: ExchangeID, in storeName: String?) {
        self.storeName = storeName
        let mask: Int64 = 1 << ExchangeName.numberBits - 1
        number = storeName == nil ? id.rawValue : id.rawValue & mask
    }

    /// Reads `NUMBER` or `STORE:NUMBER`; nil if the text is neither.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            guard let number = Int64(text) else { return nil }
            self.number = number
            storeName = nil
            return
        }
        let digits = text[text.utf8.index(after: colon)...]
        guard colon > text.startIndex, let number = Int64(digits) else { return nil }
        self.number = number
        storeName = String(text[..<colon])
    }

    /// The name as a part of a file's name, without the colon.
    public var fileName: String { storeName.map { "\($0)-\(number)" } ?? "\(number)" }

    /// The name in the form that `init(_:)` reads.
    public var description: String { storeName.map { "\($0):\(number)" } ?? "\(number)" }
}
