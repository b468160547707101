public import ProxydHTTPModel

/// Writes the chunked coding (RFC 9112 §7.1). A chunk consists of its header, its data and its end.
public enum ChunkEncoder {
    /// Writes the size line of a chunk of `byteCount` bytes; writes nothing for a count below one,
    /// because a size of zero would end the body.
    public static func writeChunkHeader(byteCount: Int, into output: inout [UInt8]) {
        guard byteCount > 0 else { return }
        WireNumber.appendHexadecimal(UInt64(byteCount), to: &output)
        appendCRLF(to: &output)
    }

    /// Writes the CRLF after a chunk's data.
    public static func writeChunkEnd(into output: inout [UInt8]) {
        appendCRLF(to: &output)
    }

    /// Writes the last chunk, the trailer fields that may be forwarded, and the empty line.
    public static func writeLastChunk(trailers: HeaderFields?, into output: inout [UInt8]) {
        output.append(0x30)
        appendCRLF(to: &output)
        if let trailers { writeTrailers(trailers, into: &output) }
        appendCRLF(to: &output)
    }

    /// Writes all trailer lines except framing, routing and connection fields (RFC 9110 §6.5.1,
    /// §7.6.1).
    private static func writeTrailers(_ trailers: HeaderFields, into output: inout [UInt8]) {
        let options = ConnectionOptions(trailers)
        for line in trailers.lines {
            switch line.name {
            case .host, .contentLength, .transferEncoding, .connection, .proxyConnection,
                .keepAlive, .te, .upgrade, .http2Settings, .proxyAuthorization, .maxForwards,
                .expect, .contentEncoding, .contentType:
                continue
            default:
                if options.nominates(line, of: trailers) { continue }
                output.append(contentsOf: trailers.bytes[line.range])
            }
        }
    }

    private static func appendCRLF(to output: inout [UInt8]) {
        output.append(0x0D)
        output.append(0x0A)
    }
}
