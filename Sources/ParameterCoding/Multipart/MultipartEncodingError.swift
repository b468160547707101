/// Why a multipart body cannot be built or sent.
public enum MultipartEncodingError: Error, Sendable, Hashable {
    /// A boundary that RFC 2046 §5.1.1 does not allow.
    case badBoundary
    /// A field of a part's head whose name is not a token, or whose value contains a CR, LF or NUL.
    case badField(partIndex: Int, name: String)
    /// The content of a part contains the chosen boundary.
    case boundaryInContent(partIndex: Int)
    /// The bytes of a part were requested, but they are in a file or come from a stream.
    case notInMemory(partIndex: Int)
    /// A file part needs a file name, but none was given and the path does not end in one.
    case fileNameMissing(path: String)
    /// The path does not denote a regular file.
    case notAFile(path: String)
    /// The file does not exist, or cannot be read.
    case unreadable(path: String)
    /// The length of a file has changed since it became a part: Content-Length would be wrong.
    case fileLengthChanged(path: String, expectedByteCount: Int64, foundByteCount: Int64)
    /// A stream delivered more or fewer bytes than declared.
    case streamLengthMismatch(id: Int, expectedByteCount: Int64, foundByteCount: Int64)
}

extension MultipartEncodingError: CustomStringConvertible {
    /// A message for the user.
    public var description: String {
        switch self {
        case .badBoundary: "the boundary is not valid"
        case .badField(let index, let name):
            "the field “\(name)” of part \(index + 1) is not valid"
        case .boundaryInContent(let index):
            "the content of part \(index + 1) holds the boundary"
        case .notInMemory(let index): "the content of part \(index + 1) is not in memory"
        case .fileNameMissing(let path):
            "a file part needs a file name, and \(path) ends in none"
        case .notAFile(let path): "\(path) is not a regular file"
        case .unreadable(let path): "\(path) cannot be read"
        case .fileLengthChanged(let path, let expected, let found):
            "\(path) had \(expected) bytes, and now has \(found)"
        case .streamLengthMismatch(_, let expected, let found):
            "a stream was to give \(expected) bytes, and gave \(found)"
        }
    }
}
