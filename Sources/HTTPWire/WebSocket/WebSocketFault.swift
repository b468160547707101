/// A protocol rule that a WebSocket frame or message violates.
public enum WebSocketFault: Error, Sendable, Hashable {
    /// A client's frame is not masked.
    case unmasked
    /// A server's frame is masked.
    case masked
    /// A reserved bit is set to which no extension has given a meaning.
    case reservedBits
    /// RSV1 is set on a frame that does not start a message.
    case compressedTwice
    /// The opcode is not defined.
    case reservedOpcode(UInt8)
    /// The length is above 2⁶³−1.
    case lengthTooLarge
    /// The length could be written in fewer bytes.
    case lengthNotMinimal
    /// A control frame has more than 125 bytes.
    case longControl
    /// A control frame is fragmented.
    case fragmentedControl
    /// A continuation frame was sent without a message to continue.
    case continuationWithoutStart
    /// A message starts before the previous one has ended.
    case messageInsideMessage
    /// A data frame follows a close frame.
    case afterClose
    /// A text, or the reason in a close frame, is not UTF-8.
    case invalidUTF8
    /// A close frame of one byte: no room for a code.
    case closeOfOneByte
    /// The code is not allowed in a close frame.
    case closeCode(UInt16)
    /// A compressed message cannot be decompressed.
    case undecompressable

    /// The code with which to close the connection because of this fault (RFC 6455 §7.4.1).
    public var closeCode: UInt16 { self == .invalidUTF8 || self == .undecompressable ? 1007 : 1002 }
}

extension WebSocketFault: CustomStringConvertible {
    /// A message for the user that names the section of the RFC.
    public var description: String {
        switch self {
        case .unmasked: "a client's frame without a mask (RFC 6455 §5.1)"
        case .masked: "a server's frame with a mask (RFC 6455 §5.1)"
        case .reservedBits: "a reserved bit that nothing agreed upon uses (RFC 6455 §5.2)"
        case .compressedTwice: "marked as compressed where no message begins (RFC 7692 §6.1)"
        case .reservedOpcode(let opcode): "opcode \(opcode) is not defined (RFC 6455 §5.2)"
        case .lengthTooLarge: "a length above 2^63-1 (RFC 6455 §5.2)"
        case .lengthNotMinimal: "a length in more bytes than it needs (RFC 6455 §5.2)"
        case .longControl: "a control frame of more than 125 bytes (RFC 6455 §5.5)"
        case .fragmentedControl: "a fragmented control frame (RFC 6455 §5.5)"
        case .continuationWithoutStart: "a continuation of no message (RFC 6455 §5.4)"
        case .messageInsideMessage: "begins before the previous message has ended (RFC 6455 §5.4)"
        case .afterClose: "data after a close frame (RFC 6455 §5.5.1)"
        case .invalidUTF8: "not UTF-8 (RFC 6455 §8.1)"
        case .closeOfOneByte: "a close frame of one byte (RFC 6455 §5.5.1)"
        case .closeCode(let code): "close code \(code) may not be sent (RFC 6455 §7.4)"
        case .undecompressable: "cannot be decompressed (RFC 7692 §7.2.2)"
        }
    }
}
