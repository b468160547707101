/// How much of a body is there to be looked at.
struct BodyExtent: Sendable, Hashable {
    /// Decoded octets that can be read.
    var byteCount = 0
    /// Octets that were taken from the origin to get them, content codings still on them.
    var takenByteCount = 0
    /// Whether nothing more comes. A body that is still being recorded may grow after all.
    var isComplete = false
    /// Why the decoded octets are not everything; nil where they are.
    var failure: String?
}
