public import ProxydHTTPModel

/// Stores exchanges: as a sink it takes updates of those in progress, and it performs operations
/// for users and programs. Completions are called on a thread of the store and must not block.
public protocol ExchangeStoring: ExchangeSink {
    /// The current status of the recorder.
    var status: RecorderStatus { get }
    /// Calls the completion when everything recorded before is committed.
    func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
    /// Stores finished exchanges unchanged under new numbers, in the same order, and reports the
    /// numbers when they are committed. References to other exchanges (`replayOf`) are kept
    /// unchanged.
    func store(
        _ exchanges: [Exchange],
        completion: @escaping @Sendable (Result<[ExchangeID], StoreError>) -> Void
    )
    /// Changes the note, tags or pin of an exchange; fails with `.notFound` if it does not exist.
    func annotate(
        _ change: AnnotationChange,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    )
    /// Stores files that describe protocol buffer messages, replacing those of the same names. A
    /// file from server reflection never replaces one that a user added.
    func addProtoFiles(
        _ files: [ProtoFile],
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    )
    /// Removes the file with a name; reports whether it existed.
    func removeProtoFile(
        named name: String,
        completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
    )
    /// Removes exchanges and everything that belongs to them; reports how many were removed once
    /// they are gone.
    func clear(
        _ selection: ClearSelection,
        completion: @escaping @Sendable (Result<Int64, StoreError>) -> Void
    )
    /// Notes how far the store has been delivered to a central store, and forgets the changes that
    /// were delivered. The first call makes the store note changes and, if so configured, makes
    /// retention wait for delivery.
    func noteDelivery(
        _ progress: DeliveryProgress,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    )
    /// Writes everything that is queued and releases the store. Blocks until that is done; a second
    /// call does nothing.
    func stop()
}
