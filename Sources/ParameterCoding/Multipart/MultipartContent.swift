/// The source of a part's bytes.
public enum MultipartContent: Sendable, Hashable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A file, opened when it is sent. `byteCount` is used for Content-Length.
    case file(path: String, byteCount: Int64)
    /// A stream that the sender looks up by its number. Without `byteCount` the length of the whole
    /// body is unknown.
    case stream(id: Int, byteCount: Int64?)

    /// The length in bytes; nil for a stream of unknown length.
    public var byteCount: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let byteCount): byteCount
        case .stream(_, let byteCount): byteCount
        }
    }
}
