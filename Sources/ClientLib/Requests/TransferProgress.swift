/// How far a transfer is.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes that passed.
    public var completedByteCount: Int64
    /// Bytes there will be; nil where no one knows.
    public var totalByteCount: Int64?

    /// A state of a transfer.
    public init(completedByteCount: Int64, totalByteCount: Int64?) {
        self.completedByteCount = completedByteCount
        self.totalByteCount = totalByteCount
    }

    /// From 0 to 1; 0 where the total is not known.
    public var fractionCompleted: Double {
        guard let totalByteCount else { return 0 }
        guard totalByteCount > 0 else { return 1 }
        return min(1, Double(completedByteCount) / Double(totalByteCount))
    }
}
