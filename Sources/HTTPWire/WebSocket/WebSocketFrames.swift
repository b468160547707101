/// Splits one direction of a WebSocket into frames (RFC 6455 §5.2): a header, then its payload as
/// it is received. It stores only the bytes of an incomplete header, whatever length a frame
/// announces, and does not check frames; `WebSocketFrameRules` does that.
///
/// ```
/// header ──▶ payload: pieces as they come, at least one ──▶ header
/// ```
public struct WebSocketFrameReader: Sendable {
    public enum Piece: Sendable, Hashable {
        /// All input was consumed.
        case needsMoreInput
        /// A frame starts; its payload follows, as one empty piece if it is empty.
        case header(WebSocketFrameHeader)
        /// A part of the payload: a range of the input, still masked. `isLast` is set for the last
        /// part.
        case payload(Range<Int>, isLast: Bool)
    }

    private enum State {
        case header
        case payload(left: UInt64)
    }

    private var state = State.header
    /// The bytes received so far of an incomplete header.
    private var collected = InlineArray<14, UInt8>(repeating: 0)
    private var collectedCount = 0
    /// The mask, positioned at the start of the piece returned last.
    private var mask: WebSocketMask?
    /// The size of that piece in bytes.
    private var pieceByteCount = 0

    public init() {}

    /// Whether a frame has been received in part.
    public var isInsideFrame: Bool {
        if case .header = state { collectedCount > 0 } else { true }
    }

    /// Returns the next piece of `input` from `offset` on, and moves `offset` past it. Call it
    /// until it returns `needsMoreInput`; `offset` is then the input's count.
    public mutating func next(_ input: Span<UInt8>, from offset: inout Int) -> Piece {
        guard case .payload(let left) = state else { return header(input, from: &offset) }
        let available = max(0, input.count &- offset)
        guard available > 0 || left == 0 else { return .needsMoreInput }
        let count = Int(truncatingIfNeeded: min(left, UInt64(truncatingIfNeeded: available)))
        let range = offset..<(offset &+ count)
        offset &+= count
        let rest = left &- UInt64(truncatingIfNeeded: count)
        state = rest == 0 ? .header : .payload(left: rest)
        mask?.skip(pieceByteCount)
        pieceByteCount = count
        return .payload(range, isLast: rest == 0)
    }

    /// Appends the payload piece returned last to `output`, unmasked.
    /// - Parameter range: the range of the piece, or one with the same start.
    public func append(_ range: Range<Int>, of input: Span<UInt8>, to output: inout [UInt8]) {
        let piece = input.extracting(range)
        if var mask {
            mask.append(piece, to: &output)
        } else {
            piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    private mutating func header(_ input: Span<UInt8>, from offset: inout Int) -> Piece {
        if collectedCount == 0, let header = WebSocketFrameHeader(input, at: offset) {
            offset &+= header.byteCount
            return begin(header)
        }
        while offset < input.count, collectedCount < collected.count {
            collected[collectedCount] = input[offset]
            collectedCount &+= 1
            offset &+= 1
            if let header = collectedHeader { return begin(header) }
        }
        return .needsMoreInput
    }

    private var collectedHeader: WebSocketFrameHeader? {
        WebSocketFrameHeader(collected.span.extracting(0..<collectedCount), at: 0)
    }

    private mutating func begin(_ header: WebSocketFrameHeader) -> Piece {
        collectedCount = 0
        pieceByteCount = 0
        mask = header.maskingKey.map(WebSocketMask.init)
        state = .payload(left: header.payloadByteCount)
        return .header(header)
    }
}

/// Writes WebSocket frames (RFC 6455 §5.2).
public enum WebSocketFrameWriter {
    /// Appends one frame to `output`.
    /// - Parameters:
    ///   - isFinal: whether it ends its message.
    ///   - isCompressed: sets RSV1, on the first frame of a compressed message (RFC 7692 §6).
    ///   - maskingKey: the masking key of a client, unpredictable and new for each frame (RFC 6455
    ///     §5.3); nil for a server.
    public static func write(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isFinal: Bool = true,
        isCompressed: Bool = false, maskingKey: UInt32?, into output: inout [UInt8]
    ) {
        let header = WebSocketFrameHeader(
            isFinal: isFinal, reservedBits: isCompressed ? 0x04 : 0, opcode: opcode,
            maskingKey: maskingKey, payloadByteCount: UInt64(truncatingIfNeeded: payload.count))
        output.reserveCapacity(output.count &+ header.byteCount &+ payload.count)
        header.write(into: &output)
        if let maskingKey {
            var mask = WebSocketMask(key: maskingKey)
            mask.append(payload, to: &output)
        } else {
            payload.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }
}

/// The header of a frame (RFC 6455 §5.2): 2 to 14 bytes.
public struct WebSocketFrameHeader: Sendable, Hashable {
    /// Whether the frame is the last one of its message.
    public var isFinal: Bool
    /// The three reserved bits, RSV1 the highest: 0…7.
    public var reservedBits: UInt8
    public var opcode: WebSocketOpcode
    /// The masking key in network byte order; nil if the frame is not masked.
    public var maskingKey: UInt32?
    /// The announced length of the payload. More than 2⁶³−1 bytes is not allowed, but can be
    /// encoded.
    public var payloadByteCount: UInt64
    /// The number of bytes of the extended length field: 0, 2 or 8.
    private(set) var lengthByteCount: Int

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

    public var isReserved: Bool { rawValue & 0x07 > 2 }
}

/// The mask of one frame's payload (RFC 6455 §5.3). Masking and unmasking are the same operation.
/// The mask keeps its position in the payload, so the payload may be processed in pieces.
public struct WebSocketMask: Sendable, Hashable {
    /// The repeated key as eight bytes in memory order, starting at the next byte of the payload.
    private var word: UInt64

    /// Creates a mask positioned at the start of a payload.
    /// - Parameter key: the masking key in network byte order.
    public init(key: UInt32) {
        let bytes = UInt64(key.byteSwapped)
        word = bytes &<< 32 | bytes
    }

    public mutating func skip(_ byteCount: Int) {
        let shift = UInt64(truncatingIfNeeded: (byteCount & 3) &<< 3)
        if shift > 0 { word = word &>> shift | word &<< (64 &- shift) }
    }

    /// Appends a piece of the payload to `output`, masked or unmasked.
    public mutating func append(_ piece: Span<UInt8>, to output: inout [UInt8]) {
        let start = output.count
        piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        apply(to: &output, from: start)
    }

    /// Masks or unmasks the bytes of `output` from `start` on, which are the next ones of the
    /// payload.
    public mutating func apply(to output: inout [UInt8], from start: Int) {
        let word = word
        output.withUnsafeMutableBytes { bytes in
            let count = bytes.count
            var index = max(0, start)
            // Words are in memory order: on a little-endian machine, which matches the order of
            // `word`, no bytes are swapped.
            while index &+ 8 <= count {
                let plain = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                bytes.storeBytes(
                    of: plain ^ word.littleEndian, toByteOffset: index, as: UInt64.self)
                index &+= 8
            }
            var rest = word
            while index < count {
                bytes[index] ^= UInt8(truncatingIfNeeded: rest)
                rest &>>= 8
                index &+= 1
            }
        }
        skip(max(0, output.count &- start))
    }
}
