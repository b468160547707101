internal import Capture
internal import ProxydCaptureModel

/// How far a store was delivered to a central store.
struct DeliveryFacts {
    /// All exchanges up to this number were delivered.
    let through: Int64
    /// The number of exchanges that are still to be delivered.
    let waitingCount: Int64
    /// The number of exchanges that retention removed before they were delivered.
    let lostCount: Int64

    /// Returns nil if the store cannot be read or was never delivered.
    init?(_ directory: DataDirectory) {
        guard let reader = try? StoreReader(directory: directory),
            let state = try? reader.deliveryState(), let through = state.deliveredThrough,
            let waitingCount = try? reader.exchangeCount(after: through)
        else { return nil }
        self.through = through
        self.waitingCount = waitingCount
        lostCount = state.undeliveredLost
    }
}
