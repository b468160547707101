/// How much of a body is there to be looked at.
package struct BodyExtent: Sendable, Hashable {
    /// Decoded bytes that can be read.
    package var byteCount = 0
    /// Octets that were taken from the origin to get them, content codings still on them.
    package var takenByteCount = 0
    /// Whether nothing more comes. A body that is still being recorded may grow after all.
    package var isComplete = false
    /// Why the decoded octets are not everything; nil where they are.
    package var failure: String?

    /// An extent of nothing, or of as much as is said.
    package init(
        byteCount: Int = 0, takenByteCount: Int = 0, isComplete: Bool = false,
        failure: String? = nil
    ) {
        self.byteCount = byteCount
        self.takenByteCount = takenByteCount
        self.isComplete = isComplete
        self.failure = failure
    }
}
