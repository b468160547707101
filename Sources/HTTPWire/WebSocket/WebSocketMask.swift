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

    /// Skips bytes of the payload.
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
