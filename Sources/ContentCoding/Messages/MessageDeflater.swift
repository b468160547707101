internal import ProxydCZlib

/// Compresses the messages in one direction of a WebSocket (RFC 7692 §7.2.1). Not thread-safe; each
/// deflater belongs to one direction.
public final class MessageDeflater {
    private static let problem = ContentCodingError.outOfMemory(.deflate)

    private let keepsContext: Bool
    /// On the heap because zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isOpen: Bool

    /// Creates a deflater before the first message.
    /// - Parameters:
    ///   - windowBits: 8…15; other values are clamped.
    ///   - keepsContext: Whether a message may refer to earlier ones.
    /// - Throws: `.outOfMemory`.
    public init(windowBits: Int, keepsContext: Bool) throws(ContentCodingError) {
        self.keepsContext = keepsContext
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib does not support a window of 2⁸ bytes without a wrapper. With one of 2⁹ it never
        // refers back further than 250 bytes (512 minus its look-ahead of 262), which fits the
        // smaller window.
        let bits = Int32(truncatingIfNeeded: min(max(windowBits, 9), 15))
        isOpen = czlib_deflateInit2(stream, -bits) == Z_OK
        guard isOpen else { throw MessageDeflater.problem }
    }

    deinit {
        if isOpen { deflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Compresses a whole message into the payload of its frames.
    /// - Throws: `.outOfMemory`; the deflater must not be used after that.
    public func deflate(_ message: Span<UInt8>) throws(ContentCodingError) -> [UInt8] {
        var output: [UInt8] = []
        var offset = 0
        repeat {
            let count = min(message.count &- offset, 1 << 30)
            let isLast = offset &+ count == message.count
            let piece = message.extracting(offset..<(offset &+ count))
            try deflate(piece, flush: isLast ? Z_SYNC_FLUSH : Z_NO_FLUSH, into: &output)
            offset &+= count
        } while offset < message.count
        if !keepsContext, deflateReset(stream) != Z_OK { throw MessageDeflater.problem }
        // zlib writes nothing if there is nothing to flush; an empty block without the removed tail
        // is a single byte (RFC 7692 §7.2.3.6).
        guard output.count > 4 else { return [0x00] }
        output.removeLast(4)
        return output
    }

    private func deflate(
        _ input: Span<UInt8>, flush: Int32, into output: inout [UInt8]
    ) throws(ContentCodingError) {
        var code = Z_OK
        input.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
            repeat {
                let room = min(64 << 10, max(256, input.count))
                let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(truncatingIfNeeded: buffer.count)
                    code = ProxydCZlib.deflate(stream, flush)
                    count = buffer.count &- Int(stream.pointee.avail_out)
                }
                output.append(contentsOf: piece)
            } while code == Z_OK && stream.pointee.avail_out == 0
        }
        // `Z_BUF_ERROR` means that nothing was left to do.
        guard code == Z_OK || code == Z_BUF_ERROR else { throw MessageDeflater.problem }
    }
}
