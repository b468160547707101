/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes transferred so far.
    public var completedByteCount: Int64
    /// The total number of bytes, or nil if it is unknown.
    public var totalByteCount: Int64?

    /// Creates a progress value.
    public init(completedByteCount: Int64, totalByteCount: Int64?) {
        self.completedByteCount = completedByteCount
        self.totalByteCount = totalByteCount
    }

    /// From 0 to 1; 0 if the total is unknown.
    public var fractionCompleted: Double {
        guard let totalByteCount else { return 0 }
        guard totalByteCount > 0 else { return 1 }
        return min(1, Double(completedByteCount) / Double(totalByteCount))
    }
}
