/// Where the octets of a part come from.
public enum MultipartContent: Sendable, Hashable {
    /// From memory.
    case octets([UInt8])
    /// From a file, opened when its turn comes. `byteCount` is what Content-Length is made from.
    case file(path: String, byteCount: Int64)
    /// From a stream that the sender finds by its number. Without `byteCount` the length of the
    /// whole body is unknown.
    case stream(id: Int, byteCount: Int64?)

    /// The length in octets; nil for a stream of unknown length.
    public var byteCount: Int64? {
        switch self {
        case .octets(let octets): Int64(octets.count)
        case .file(_, let byteCount): byteCount
        case .stream(_, let byteCount): byteCount
        }
    }
}
