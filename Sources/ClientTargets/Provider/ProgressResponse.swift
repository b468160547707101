public import ClientLib

/// How far a target's request is.
public struct ProgressResponse: Sendable {
    /// The response, once it is there.
    public let response: TargetResponse?
    /// How much of the body was sent, for uploads; how much of the response came, for others. Nil
    /// while that is not known.
    public let transfer: TransferProgress?

    /// A state of a request.
    public init(transfer: TransferProgress? = nil, response: TargetResponse? = nil) {
        self.transfer = transfer
        self.response = response
    }

    /// From 0 to 1: 1 with the response; before, what the transfer says where the total is known,
    /// else 0.
    public var progress: Double {
        if completed { return 1 }
        guard let transfer, let total = transfer.totalByteCount, total > 0 else { return 0 }
        return transfer.fractionCompleted
    }

    /// Whether the response is there.
    public var completed: Bool { response != nil }
}
