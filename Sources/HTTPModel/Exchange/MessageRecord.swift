/// One message within an exchange: of a WebSocket, an event stream or a gRPC call.
public struct MessageRecord: Sendable, Hashable {
    /// Which way it went.
    public enum Direction: Int64, Sendable, Hashable, CaseIterable {
        /// From the client.
        case toServer = 0
        /// From the server.
        case toClient = 1
    }

    /// What it is. The numbers are stored: those of WebSocket are its opcodes.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// WebSocket: text (RFC 6455 §5.6).
        case text = 1
        /// WebSocket: bytes (RFC 6455 §5.6).
        case binary = 2
        /// WebSocket: a closing frame (RFC 6455 §5.5.1), its code in the first two bytes.
        case close = 8
        /// WebSocket: RFC 6455 §5.5.2.
        case ping = 9
        /// WebSocket: RFC 6455 §5.5.3.
        case pong = 10
        /// A message of gRPC, gRPC-Web or Connect without its prefix of five bytes.
        case grpc = 16
        /// The trailer section that gRPC-Web and Connect send as the last message of a body.
        case trailers = 19
        /// A server-sent event, as its lines in the body.
        case event = 17
        /// A comment in an event stream, or lines of it without data, as they are in the body.
        case comment = 18
        /// Bytes that are no message; `problem` says why.
        case invalid = 31

        /// Whether it carries what an application said, and is no control frame or comment.
        public var isData: Bool {
            switch self {
            case .text, .binary, .grpc, .event: true
            case .close, .ping, .pong, .trailers, .comment, .invalid: false
            }
        }
    }

    /// How it came.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The flags as bits; stored.
        public let rawValue: Int64
        /// Flags of these bits.
        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// It was compressed on the wire.
        public static let compressed = Flags(rawValue: 1)
        /// It came in several frames.
        public static let fragmented = Flags(rawValue: 2)
        /// Not all of it is kept.
        public static let cut = Flags(rawValue: 4)
        /// It breaks a rule of its protocol.
        public static let invalid = Flags(rawValue: 8)
        /// Its connection ended before it did.
        public static let unfinished = Flags(rawValue: 16)
        /// What is kept is still compressed: it could not be decompressed.
        public static let stillCompressed = Flags(rawValue: 32)
    }

    /// Where its bytes are.
    public enum Content: Sendable, Hashable {
        /// Here: its beginning where it is cut. Unmasked and decompressed.
        case octets([UInt8])
        /// A part of the body of the message's direction, its content-coding undone.
        case body(Range<Int64>)
    }

    /// Its number within the exchange, from 0, in the order in which the messages were complete.
    public var position: Int64
    /// Which way it went.
    public var direction: Direction
    /// What it is.
    public var kind: Kind
    /// How it came.
    public var flags: Flags
    /// When it was complete: nanoseconds after the start of its exchange.
    public var offsetNs: Int64
    /// Its length in bytes, kept or not; of a message that was decompressed, after that.
    public var byteCount: Int64
    /// The bytes of payload it took on the wire.
    public var wireByteCount: Int64
    /// What it says.
    public var content: Content
    /// The rule that it breaks, for a person; nil where it breaks none.
    public var problem: String?

    /// A message.
    public init(
        position: Int64 = 0, direction: Direction, kind: Kind, flags: Flags = [],
        offsetNs: Int64 = 0, byteCount: Int64, wireByteCount: Int64? = nil, content: Content,
        problem: String? = nil
    ) {
        self.position = position
        self.direction = direction
        self.kind = kind
        self.flags = flags
        self.offsetNs = offsetNs
        self.byteCount = byteCount
        self.wireByteCount = wireByteCount ?? byteCount
        self.content = content
        self.problem = problem
    }

    /// Lets go of what it says.
    public mutating func dropContent() {
        guard heldByteCount > 0 else { return }
        content = .octets([])
        flags.insert(.cut)
    }

    /// The bytes it holds in memory.
    public var heldByteCount: Int {
        guard case .octets(let octets) = content else { return 0 }
        return octets.count
    }
}

extension MessageRecord.Direction {
    /// As in `messages --json` and in SQL.
    public var name: String { self == .toServer ? "to_server" : "to_client" }
}

extension MessageRecord.Kind {
    /// As in `messages --json` and in SQL.
    public var name: String {
        switch self {
        case .text: "text"
        case .binary: "binary"
        case .close: "close"
        case .ping: "ping"
        case .pong: "pong"
        case .grpc: "grpc"
        case .trailers: "trailers"
        case .event: "event"
        case .comment: "comment"
        case .invalid: "invalid"
        }
    }
}
