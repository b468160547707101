/// What a multipart decoder finds, in order.
public enum MultipartEvent: Sendable, Hashable {
    /// A part begins.
    case part(MultipartPartHead)
    /// The next octets of the part's content.
    case data([UInt8])
    /// The part ends.
    case partEnd
    /// The body ends; not complete when the closing boundary is missing.
    case end(isComplete: Bool)
}
