/// Why content could not be decoded completely. The part decoded before the error stays usable.
public enum ContentCodingError: Error, Sendable, Hashable {
    /// Content-Encoding names a coding that this module does not support.
    case unsupportedCoding(String)
    /// Content-Encoding names more codings than the limit, which only decompression bombs do.
    case tooManyLayers(count: Int)
    /// The input ended inside a coded stream.
    case truncatedInput(Coding)
    /// The input is invalid in the coding, or a checksum does not match.
    case corruptInput(Coding)
    /// The decoded content exceeds the limit; `decodedByteCount` bytes were decoded.
    case overLimit(decodedByteCount: Int)
    /// The stream requires more window memory than the limit (zstd only).
    case windowTooLarge(Coding)
    /// The library could not allocate memory for its state.
    case outOfMemory(Coding)
}

extension ContentCodingError: CustomStringConvertible {
    /// A message for the user; it never contains bytes of the content.
    public var description: String {
        switch self {
        case .unsupportedCoding: "the content coding is not known"
        case .tooManyLayers(let count): "\(count) content codings on top of each other are too many"
        case .truncatedInput(let coding): "the \(coding.rawValue) content ends too early"
        case .corruptInput(let coding): "the content is not valid \(coding.rawValue)"
        case .overLimit(let count): "stopped at the size limit, after \(count) bytes"
        case .windowTooLarge(let coding): "the \(coding.rawValue) window is over the limit"
        case .outOfMemory(let coding): "out of memory for \(coding.rawValue)"
        }
    }
}
