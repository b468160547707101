public import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Chunked bodies (RFC 9112 §7.1).
extension DuplexStream {
    /// Writes bytes as one chunk.
    public func write(chunk bytes: Span<UInt8>) {
        var line: [UInt8] = []
        ChunkEncoder.writeChunkHeader(byteCount: bytes.count, into: &line)
        write(line)
        write(bytes)
        line.removeAll(keepingCapacity: true)
        ChunkEncoder.writeChunkEnd(into: &line)
        write(line)
    }

    /// Writes the last chunk, with trailers if there are any.
    public func writeLastChunk(trailers: HeaderFields?) {
        var bytes: [UInt8] = []
        ChunkEncoder.writeLastChunk(trailers: trailers, into: &bytes)
        write(bytes)
    }
}
