internal import ProxydCaptureModel

/// A deletion that may be large, done in steps so that recording does not wait for it.
struct RemovalJob {
    /// What goes.
    enum Selection {
        /// Everything.
        case all(sparesPinned: Bool)
        /// These numbers.
        case listed(ArraySlice<Int64>)
        /// The oldest, until the retention policy is content.
        case retention
    }

    /// How far it is.
    enum Phase {
        case removing
        /// Pages that became free go back to the file system.
        case shrinking
        case done
    }

    var selection: Selection
    var phase = Phase.removing
    /// The number from which on it looks for more.
    var cursor = Int64.min
    var removedCount: Int64 = 0
    /// Who is told when it is done.
    var completion: (@Sendable (Result<Int64, StoreError>) -> Void)?

    init(
        _ selection: Selection,
        completion: (@Sendable (Result<Int64, StoreError>) -> Void)? = nil
    ) {
        self.selection = selection
        self.completion = completion
    }
}
