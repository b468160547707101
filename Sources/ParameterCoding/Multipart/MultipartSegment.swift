/// One segment of a multipart body. Sent one after another, the segments are the body.
public enum MultipartSegment: Sendable, Hashable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// The bytes of a file from `offset` on. The file is opened when it is sent, and must then
    /// still contain exactly `offset + byteCount` bytes: see `verify(foundByteCount:)`.
    case file(path: String, offset: Int64, byteCount: Int64)
    /// All bytes of a stream; exactly `byteCount` of them if the length is known.
    case stream(id: Int, byteCount: Int64?)

    /// The length in bytes; nil for a stream of unknown length.
    public var byteCount: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, _, let byteCount): byteCount
        case .stream(_, let byteCount): byteCount
        }
    }

    /// Checks the actual length against the declared one: the whole length of the opened file, or
    /// the number of bytes that the stream delivered.
    /// - Throws: `.fileLengthChanged`, `.streamLengthMismatch`.
    public func verify(foundByteCount: Int64) throws(MultipartEncodingError) {
        switch self {
        case .file(let path, let offset, let byteCount) where foundByteCount - offset != byteCount:
            throw .fileLengthChanged(
                path: path,
                expectedByteCount: offset + byteCount,
                foundByteCount: foundByteCount
            )
        case .stream(let id, let byteCount?) where foundByteCount != byteCount:
            throw .streamLengthMismatch(
                id: id,
                expectedByteCount: byteCount,
                foundByteCount: foundByteCount
            )
        case .bytes, .file, .stream:
            return
        }
    }
}
