/// The type of a frame (RFC 6455 §5.2): four bits, of which six values are defined.
public struct WebSocketOpcode: Sendable, Hashable {
    /// The four bits as a number, 0…15.
    public let rawValue: UInt8

    /// Creates an opcode from the low four bits of a byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0F }

    /// A further frame of a fragmented message.
    public static let continuation = WebSocketOpcode(rawValue: 0)
    /// The first frame of a text message.
    public static let text = WebSocketOpcode(rawValue: 1)
    /// The first frame of a binary message.
    public static let binary = WebSocketOpcode(rawValue: 2)
    /// A close frame (RFC 6455 §5.5.1).
    public static let close = WebSocketOpcode(rawValue: 8)
    /// A ping frame (RFC 6455 §5.5.2).
    public static let ping = WebSocketOpcode(rawValue: 9)
    /// A pong frame (RFC 6455 §5.5.3).
    public static let pong = WebSocketOpcode(rawValue: 10)

    /// Whether this is the opcode of a control frame, defined or not (RFC 6455 §5.5).
    public var isControl: Bool { rawValue & 0x08 != 0 }

    /// Whether the opcode is not defined.
    public var isReserved: Bool { rawValue & 0x07 > 2 }
}
