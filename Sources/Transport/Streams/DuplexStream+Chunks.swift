public import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Chunked bodies (RFC 9112 §7.1).
extension DuplexStream {
    /// Writes bytes as one chunk.
    public func write(chunk octets: Span<UInt8>) {
        var line: [UInt8] = []
        ChunkEncoder.writeChunkHeader(byteCount: octets.count, into: &line)
        write(line)
        write(octets)
        line.removeAll(keepingCapacity: true)
        ChunkEncoder.writeChunkEnd(into: &line)
        write(line)
    }

    /// Writes the last chunk, with trailers if there are any.
    public func writeLastChunk(trailers: HeaderFields?) {
        var octets: [UInt8] = []
        ChunkEncoder.writeLastChunk(trailers: trailers, into: &octets)
        write(octets)
    }
}
