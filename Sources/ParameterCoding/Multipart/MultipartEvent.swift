/// An event of a multipart decoder, in document order.
public enum MultipartEvent: Sendable, Hashable {
    /// A part starts.
    case part(MultipartPartHead)
    /// The next bytes of the part's content.
    case data([UInt8])
    /// The part ends.
    case partEnd
    /// The body ends; `isComplete` is false if the closing boundary is missing.
    case end(isComplete: Bool)
}
