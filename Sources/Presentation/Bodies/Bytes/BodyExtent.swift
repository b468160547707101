/// How much of a body is available.
package struct BodyExtent: Sendable, Hashable {
    /// The number of decoded bytes that can be read.
    package var byteCount = 0
    /// The number of bytes taken from the origin for them, with content codings applied.
    package var takenByteCount = 0
    /// Whether the body is complete. A body that is still being recorded may grow nevertheless.
    package var isComplete = false
    /// Why decoded bytes are missing, or nil if none are.
    package var failure: String?
    /// Why bytes were left coded as they are, or nil if none were.
    package var remark: String?

    /// Creates an extent, by default of an empty body.
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
