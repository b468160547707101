/// Why a multipart body cannot be made or sent.
public enum MultipartEncodingError: Error, Sendable, Hashable {
    /// A boundary that RFC 2046 §5.1.1 does not allow.
    case badBoundary
    /// A field of a part's head whose name is no token, or whose value has a CR, LF or NUL.
    case badField(partIndex: Int, name: String)
    /// The content of a part holds the boundary that was chosen for it.
    case boundaryInContent(partIndex: Int)
    /// The octets of a part were asked for, but they are in a file or come from a stream.
    case notInMemory(partIndex: Int)
    /// A file part needs a file name, and neither was one given nor does the path end in one.
    case fileNameMissing(path: String)
    /// The path leads to something that is not a regular file.
    case notAFile(path: String)
    /// There is no such file, or it must not be read.
    case unreadable(path: String)
    /// A file no longer is as long as when it became a part: Content-Length would be wrong.
    case fileLengthChanged(path: String, expectedByteCount: Int64, foundByteCount: Int64)
    /// A stream gave more or fewer octets than were declared.
    case streamLengthMismatch(id: Int, expectedByteCount: Int64, foundByteCount: Int64)
}

extension MultipartEncodingError: CustomStringConvertible {
    /// What is wrong, for a person.
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
