/// Why a body is not multipart, with the octets before the problem.
public struct MultipartError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// Empty, too long, or with octets that a boundary cannot have.
        case badBoundary
        /// A line of a part's head that is not `name: value`, or does not end in CRLF.
        case badPartHead
        /// A part's head over the limit.
        case partHeadTooLarge
        /// More parts than the limit.
        case tooManyParts
    }

    /// What is wrong.
    public let kind: Kind
    /// Octets before the line or part that is wrong.
    public let offset: Int
}

extension MultipartError: CustomStringConvertible {
    /// Plain words with the place; never a byte of the body.
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
