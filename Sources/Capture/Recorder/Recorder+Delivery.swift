public import ProxydCaptureModel

/// The delivery to a central store.
extension Recorder {
    /// Notes how far the store has been delivered to a central store, and forgets the changes that
    /// were delivered. The first call makes the store note changes and, if so configured, makes
    /// retention wait for delivery.
    public func noteDelivery(
        _ progress: DeliveryProgress,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in
                try thread.noteDelivery(progress)
            }, completion: completion)
    }
}
