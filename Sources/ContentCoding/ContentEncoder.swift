internal import ProxydCZlib

/// Compresses content that is in memory.
public enum ContentEncoder {
    public enum Coding: String, Sendable, Hashable {
        /// RFC 1952.
        case gzip
        /// RFC 1950, as RFC 9110 §8.4.1.2 has it.
        case deflate
    }

    /// - Throws: `.outOfMemory`.
    public static func encode(
        _ content: Span<UInt8>, as coding: Coding
    ) throws(ContentCodingError) -> [UInt8] {
        let problem = ContentCodingError.outOfMemory(coding == .gzip ? .gzip : .deflate)
        // On the heap because zlib keeps a pointer back to it.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer {
            stream.deinitialize(count: 1)
            stream.deallocate()
        }
        // 15 is the largest window; 16 more asks for gzip's wrapping.
        let windowBits: Int32 = coding == .gzip ? 31 : 15
        guard czlib_deflateInit2(stream, windowBits) == Z_OK else { throw problem }
        defer { deflateEnd(stream) }
        var output: [UInt8] = []
        var offset = 0
        while true {
            let count = min(content.count - offset, 1 << 30)
            let isLast = offset + count == content.count
            let code = step(
                stream, content.extracting(offset..<(offset + count)),
                flush: isLast ? Z_FINISH : Z_NO_FLUSH, into: &output)
            offset += count - Int(stream.pointee.avail_in)
            switch code {
            case Z_STREAM_END: return output
            case Z_OK, Z_BUF_ERROR: continue
            default: throw problem
            }
        }
    }

    private static func step(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: Span<UInt8>, flush: Int32,
        into output: inout [UInt8]
    ) -> Int32 {
        input.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
            var code = Z_OK
            let room = 64 << 10
            repeat {
                let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(buffer.count)
                    code = deflate(stream, flush)
                    count = buffer.count - Int(stream.pointee.avail_out)
                }
                output.append(contentsOf: piece)
            } while stream.pointee.avail_out == 0 && code == Z_OK
            return code
        }
    }
}
