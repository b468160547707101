internal import ProxydCZlib

/// Compresses the messages of one direction of a WebSocket (RFC 7692 §7.2.1). Not thread-safe; one
/// deflater belongs to one direction.
public final class MessageDeflater {
    private static let problem = ContentCodingError.outOfMemory(.deflate)

    private let keepsContext: Bool
    /// On the heap because zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isOpen: Bool

    /// A deflater before the first message.
    /// - Parameters:
    ///   - windowBits: 8…15; what is outside counts as the nearest of these.
    ///   - keepsContext: whether a message may refer to the ones before it.
    /// - Throws: `.outOfMemory`.
    public init(windowBits: Int, keepsContext: Bool) throws(ContentCodingError) {
        self.keepsContext = keepsContext
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib has no window of 2⁸ bytes without a wrapping. With one of 2⁹ it never refers back
        // further than 250 bytes (512 less the 262 of its look-ahead), which fits the smaller one.
        let bits = Int32(truncatingIfNeeded: min(max(windowBits, 9), 15))
        isOpen = czlib_deflateInit2(stream, -bits) == Z_OK
        guard isOpen else { throw MessageDeflater.problem }
    }

    deinit {
        if isOpen { deflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// A whole message, compressed: the payload of its frames.
    /// - Throws: `.outOfMemory`; the deflater is of no use after that.
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
        // zlib writes nothing where there is nothing to flush; an empty block is a byte without
        // what is cut off (RFC 7692 §7.2.3.6).
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
        // `Z_BUF_ERROR`: nothing was left to do.
        guard code == Z_OK || code == Z_BUF_ERROR else { throw MessageDeflater.problem }
    }
}
