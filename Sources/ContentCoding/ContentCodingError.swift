/// Why content could not be decoded, or not all of it. What was decoded before stays usable.
public enum ContentCodingError: Error, Sendable, Hashable {
    /// Content-Encoding names a coding this module does not know.
    case unsupportedCoding(String)
    /// Content-Encoding names more codings than the limit, which only bombs do.
    case tooManyLayers(count: Int)
    /// The input ended inside a coded stream.
    case truncatedInput(Coding)
    /// The input is not what the coding allows; also a checksum that does not match.
    case corruptInput(Coding)
    /// The decoded content is larger than the limit; `decodedByteCount` octets were decoded.
    case overLimit(decodedByteCount: Int)
    /// The stream asks for more window memory than the limit (zstd only).
    case windowTooLarge(Coding)
    /// The library had no memory for its state.
    case outOfMemory(Coding)
}

extension ContentCodingError: CustomStringConvertible {
    /// Plain words for a person; never a byte of the content.
    public var description: String {
        switch self {
        case .unsupportedCoding: "the content coding is not known"
        case .tooManyLayers(let count): "\(count) content codings on top of each other"
        case .truncatedInput(let coding): "the \(coding.rawValue) content ends too early"
        case .corruptInput(let coding): "the content is not valid \(coding.rawValue)"
        case .overLimit(let count): "stopped at the size limit, after \(count) bytes"
        case .windowTooLarge(let coding): "the \(coding.rawValue) window is over the limit"
        case .outOfMemory(let coding): "no memory to decode \(coding.rawValue)"
        }
    }
}
