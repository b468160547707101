public import ClientLib

/// The progress of a target's request.
public struct ProgressResponse: Sendable {
    /// The response once it is complete.
    public let response: TargetResponse?
    /// For uploads, how much of the body has been sent; otherwise how much of the response has
    /// arrived. Nil until that is known.
    public let transfer: TransferProgress?

    /// Creates a progress value.
    public init(transfer: TransferProgress? = nil, response: TargetResponse? = nil) {
        self.transfer = transfer
        self.response = response
    }

    /// From 0 to 1: 1 with the response; before that, the fraction of the transfer, or 0 if the
    /// total is unknown.
    public var progress: Double {
        if completed { return 1 }
        guard let transfer, let total = transfer.totalByteCount, total > 0 else { return 0 }
        return transfer.fractionCompleted
    }

    /// Whether the response is complete.
    public var completed: Bool { response != nil }
}
