internal import ProxydCaptureModel

/// A deletion that may be large, done in steps so that recording does not wait for it.
struct RemovalJob {
    /// Which exchanges to delete.
    enum Selection {
        /// All exchanges, optionally except pinned ones.
        case all(sparesPinned: Bool)
        /// The exchanges with these numbers.
        case listed(ArraySlice<Int64>)
        /// The oldest exchanges, until the limits of the retention policy are met.
        case retention
    }

    /// The stage the job is in.
    enum Phase {
        case removing
        /// Free pages are given back to the file system.
        case shrinking
        case done
    }

    var selection: Selection
    var phase = Phase.removing
    /// The number from which the search for more exchanges continues.
    var cursor = Int64.min
    var removedCount: Int64 = 0
    /// Whether exchanges were removed for lack of space: their pages are given back to the file
    /// system before it is decided whether more have to go.
    var isForSpace = false
    /// Called when the job is done.
    var completion: (@Sendable (Result<Int64, StoreError>) -> Void)?

    /// Whether a user asked for it, and not the retention policy.
    var isByUser: Bool {
        if case .retention = selection { false } else { true }
    }

    init(
        _ selection: Selection,
        completion: (@Sendable (Result<Int64, StoreError>) -> Void)? = nil
    ) {
        self.selection = selection
        self.completion = completion
    }
}
