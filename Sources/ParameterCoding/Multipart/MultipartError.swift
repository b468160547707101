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
