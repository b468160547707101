/// Why a body is not valid multipart, and where.
public struct MultipartError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Kind: Sendable, Hashable {
        /// Empty, too long, or with bytes that are not allowed in a boundary.
        case badBoundary
        /// A line of a part's head that is not `name: value`, or does not end in CRLF.
        case badPartHead
        /// A part's head exceeds the limit.
        case partHeadTooLarge
        /// More parts than the limit.
        case tooManyParts
    }

    /// The kind of error.
    public let kind: Kind
    /// The number of bytes before the invalid line or part.
    public let offset: Int
}

extension MultipartError: CustomStringConvertible {
    /// A message with the position; it never contains bytes of the body.
    public var description: String {
        let problem =
            switch kind {
            case .badBoundary: "the boundary is not valid"
            case .badPartHead: "the head of a part is not valid"
            case .partHeadTooLarge: "the head of a part is too large"
            case .tooManyParts: "there are too many parts"
            }
        return "offset \(offset): \(problem)"
    }
}
