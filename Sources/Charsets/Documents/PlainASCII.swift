/// Texts that are the same in every charset with ASCII bytes, which need not be decoded.
public enum PlainASCII {
    private static let pieceByteCount = 1 << 10

    /// Whether all bytes are ASCII without NUL, which other code units have, and escape, which
    /// begins another set of characters.
    public static func holds(for bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            var start = 0
            while start < buffer.count {
                let end = min(start &+ pieceByteCount, buffer.count)
                guard holds(for: buffer[start..<end]) else { return false }
                start = end
            }
            return true
        }
    }

    /// Looks at all bytes of a piece, without a branch for each.
    private static func holds(for piece: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var others: UInt8 = 0
        for byte in piece {
            others |= byte & 0x80
            others |= byte == 0 ? 1 : 0
            others |= byte == 0x1B ? 1 : 0
        }
        return others == 0
    }
}
