/// One message within an exchange: of a WebSocket, an event stream or a gRPC call.
public struct MessageRecord: Sendable, Hashable {
    public enum Direction: Int64, Sendable, Hashable, Codable, CaseIterable {
        case toServer = 0
        case toClient = 1
    }

    /// The kind of a message. The raw values are stored: those of WebSocket are its opcodes.
    public enum Kind: Int64, Sendable, Hashable, Codable, CaseIterable {
        /// A WebSocket text message (RFC 6455 §5.6).
        case text = 1
        /// A WebSocket binary message (RFC 6455 §5.6).
        case binary = 2
        /// A WebSocket close frame (RFC 6455 §5.5.1), with its code in the first two bytes.
        case close = 8
        /// A WebSocket ping (RFC 6455 §5.5.2).
        case ping = 9
        /// A WebSocket pong (RFC 6455 §5.5.3).
        case pong = 10
        /// A gRPC, gRPC-Web or Connect message, without its prefix of five bytes.
        case grpc = 16
        /// The trailers that gRPC-Web and Connect send as the last message of a body.
        case trailers = 19
        /// A server-sent event, as its lines in the body.
        case event = 17
        /// A comment in an event stream, or lines without data, as they are in the body.
        case comment = 18
        /// Bytes that are not a message; see `problem`.
        case invalid = 31

        /// Whether it carries application data, and is not a control frame or comment.
        public var isData: Bool {
            switch self {
            case .text, .binary, .grpc, .event: true
            case .close, .ping, .pong, .trailers, .comment, .invalid: false
            }
        }
    }

    /// Properties of a message's transfer.
    public struct Flags: OptionSet, Sendable, Hashable, Codable {
        /// The flags as bits, which are stored.
        public let rawValue: Int64
        public init(rawValue: Int64) { self.rawValue = rawValue }

        public static let compressed = Flags(rawValue: 1)
        /// It arrived in several frames.
        public static let fragmented = Flags(rawValue: 2)
        /// Only a part of it is stored.
        public static let cut = Flags(rawValue: 4)
        /// It breaks a rule of its protocol.
        public static let invalid = Flags(rawValue: 8)
        /// Its connection ended before it was complete.
        public static let unfinished = Flags(rawValue: 16)
        /// The stored bytes are still compressed, because they could not be decompressed.
        public static let stillCompressed = Flags(rawValue: 32)
    }

    public enum Content: Sendable, Hashable {
        /// The bytes themselves, unmasked and decompressed; only the beginning if the message is
        /// cut.
        case bytes([UInt8])
        /// A range of the body of the same direction, with its content coding removed.
        case body(Range<Int64>)
    }

    /// Its index within the exchange, from 0, in the order of completion.
    public var position: Int64
    public var direction: Direction
    public var kind: Kind
    public var flags: Flags
    /// When it was complete, in nanoseconds since the start of its exchange.
    public var offsetNs: Int64
    /// Its length in bytes, stored or not; after decompression if it was decompressed.
    public var byteCount: Int64
    /// The size of its payload on the wire, in bytes.
    public var wireByteCount: Int64
    public var content: Content
    /// The rule that it breaks, as text for the user; nil if it breaks none.
    public var problem: String?

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

    /// Drops the content to save memory.
    public mutating func dropContent() {
        guard memoryByteCount > 0 else { return }
        content = .bytes([])
        flags.insert(.cut)
    }

    /// The memory used by the content, in bytes.
    public var memoryByteCount: Int {
        guard case .bytes(let bytes) = content else { return 0 }
        return bytes.count
    }
}

extension MessageRecord.Direction {
    /// The name in `messages --json` and in SQL.
    public var name: String { self == .toServer ? "to_server" : "to_client" }
}

extension MessageRecord.Kind {
    /// The name in `messages --json` and in SQL.
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
