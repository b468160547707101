/// The header of a frame (RFC 6455 §5.2): 2 to 14 bytes.
public struct WebSocketFrameHeader: Sendable, Hashable {
    /// Whether the frame is the last one of its message.
    public var isFinal: Bool
    /// The three reserved bits, RSV1 the highest: 0…7.
    public var reservedBits: UInt8
    /// The type of the frame.
    public var opcode: WebSocketOpcode
    /// The masking key in network byte order; nil if the frame is not masked.
    public var maskingKey: UInt32?
    /// The announced length of the payload. More than 2⁶³−1 bytes is not allowed, but can be
    /// encoded.
    public var payloadByteCount: UInt64
    /// The number of bytes of the extended length field: 0, 2 or 8.
    private(set) var lengthByteCount: Int

    /// Creates a header.
    public init(
        isFinal: Bool = true, reservedBits: UInt8 = 0, opcode: WebSocketOpcode,
        maskingKey: UInt32? = nil, payloadByteCount: UInt64
    ) {
        self.isFinal = isFinal
        self.reservedBits = reservedBits & 0x07
        self.opcode = opcode
        self.maskingKey = maskingKey
        self.payloadByteCount = payloadByteCount
        lengthByteCount = WebSocketFrameHeader.lengthByteCount(of: payloadByteCount)
    }

    /// Whether the length is encoded in as few bytes as possible (RFC 6455 §5.2).
    public var isLengthMinimal: Bool {
        lengthByteCount == WebSocketFrameHeader.lengthByteCount(of: payloadByteCount)
    }

    /// The size of the header as received, in bytes.
    var byteCount: Int { 2 &+ lengthByteCount &+ (maskingKey == nil ? 0 : 4) }

    /// Whether RSV1 is set: with permessage-deflate, this is the first frame of a compressed
    /// message (RFC 7692 §6).
    public var isCompressed: Bool { reservedBits & 0x04 != 0 }

    /// Parses a header that starts at `start`; returns nil if it is incomplete.
    init?(_ bytes: Span<UInt8>, at start: Int) {
        let available = bytes.count &- start
        guard available >= 2 else { return nil }
        let first = bytes[start]
        let second = bytes[start &+ 1]
        let isMasked = second & 0x80 != 0
        let shortLength = second & 0x7F
        let lengthByteCount = shortLength < 126 ? 0 : shortLength == 126 ? 2 : 8
        guard available >= 2 &+ lengthByteCount &+ (isMasked ? 4 : 0) else { return nil }
        var length = lengthByteCount == 0 ? UInt64(shortLength) : 0
        for index in 0..<lengthByteCount {
            length = length &<< 8 | UInt64(bytes[start &+ 2 &+ index])
        }
        self.init(
            isFinal: first & 0x80 != 0, reservedBits: first &>> 4,
            opcode: WebSocketOpcode(rawValue: first),
            maskingKey: isMasked ? bytes.bigEndian(at: start &+ 2 &+ lengthByteCount) : nil,
            payloadByteCount: length)
        self.lengthByteCount = lengthByteCount
    }

    private static func lengthByteCount(of payloadByteCount: UInt64) -> Int {
        payloadByteCount <= 125 ? 0 : payloadByteCount <= 0xFFFF ? 2 : 8
    }

    /// Appends the header, with the length encoded in as few bytes as possible.
    public func write(into output: inout [UInt8]) {
        output.append((isFinal ? 0x80 : 0) | reservedBits &<< 4 | opcode.rawValue)
        let maskBit: UInt8 = maskingKey == nil ? 0 : 0x80
        switch payloadByteCount {
        case ...125: output.append(maskBit | UInt8(truncatingIfNeeded: payloadByteCount))
        case ...0xFFFF:
            output.append(maskBit | 126)
            output.append(UInt8(truncatingIfNeeded: payloadByteCount &>> 8))
            output.append(UInt8(truncatingIfNeeded: payloadByteCount))
        default:
            output.append(maskBit | 127)
            output.appendBigEndian(UInt32(truncatingIfNeeded: payloadByteCount &>> 32))
            output.appendBigEndian(UInt32(truncatingIfNeeded: payloadByteCount))
        }
        if let maskingKey { output.appendBigEndian(maskingKey) }
    }
}
