/// One stretch of a multipart body. Sent one after the other they are the body.
public enum MultipartSegment: Sendable, Hashable {
    /// These octets.
    case octets([UInt8])
    /// The octets of a file from `offset` on. The file is opened when its turn comes, and must
    /// then still hold exactly `offset + byteCount` octets: see `verify(foundByteCount:)`.
    case file(path: String, offset: Int64, byteCount: Int64)
    /// All octets of a stream; exactly `byteCount` of them where that is known.
    case stream(id: Int, byteCount: Int64?)

    /// The length in octets; nil for a stream of unknown length.
    public var byteCount: Int64? {
        switch self {
        case .octets(let octets): Int64(octets.count)
        case .file(_, _, let byteCount): byteCount
        case .stream(_, let byteCount): byteCount
        }
    }

    /// Says whether what the sender found fits what was announced: the whole length of the opened
    /// file, or the octets that the stream gave until its end.
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
        case .octets, .file, .stream:
            return
        }
    }
}
