/// The mask of one frame's payload (RFC 6455 §5.3). To put it on and to take it off is the same.
/// It knows how far into the payload it is, so that the payload may come in pieces.
public struct WebSocketMask: Sendable, Hashable {
    /// The key repeated, as eight bytes of memory have it, from the next byte of the payload on.
    private var word: UInt64

    /// The mask at the beginning of a payload.
    /// - Parameter key: its first byte the most significant.
    public init(key: UInt32) {
        let bytes = UInt64(key.byteSwapped)
        word = bytes &<< 32 | bytes
    }

    /// Passes over bytes of the payload.
    public mutating func skip(_ byteCount: Int) {
        let shift = UInt64(truncatingIfNeeded: (byteCount & 3) &<< 3)
        if shift > 0 { word = word &>> shift | word &<< (64 &- shift) }
    }

    /// Adds a piece of the payload to `output`, masked or unmasked.
    public mutating func append(_ piece: Span<UInt8>, to output: inout [UInt8]) {
        let start = output.count
        piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        apply(to: &output, from: start)
    }

    /// Masks or unmasks the bytes of `output` from `start` on, the next ones of the payload.
    public mutating func apply(to output: inout [UInt8], from start: Int) {
        let word = word
        output.withUnsafeMutableBytes { bytes in
            let count = bytes.count
            var index = max(0, start)
            // Words in memory's order: on a machine with the least significant byte first, which
            // is the order of `word`, nothing is swapped.
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
