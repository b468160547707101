public import ProxydHTTPModel

/// Keeps exchanges: takes news of those that are on their way as a sink, and does what people and
/// programs ask. Completions come on a thread of the store and must not wait.
public protocol ExchangeStoring: ExchangeSink {
    /// What it is doing.
    var status: RecorderStatus { get }
    /// Answers when everything recorded before is committed.
    func flush(completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
    /// Stores finished exchanges as they are, under new numbers in the same order, and answers
    /// with those when they are committed. Numbers that refer to others (`replayOf`) stay.
    func store(
        _ exchanges: [Exchange],
        completion: @escaping @Sendable (Result<[ExchangeID], StoreError>) -> Void
    )
    /// Changes note, tags or pin; `.notFound` where there is no such exchange.
    func annotate(
        _ change: AnnotationChange,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    )
    /// Keeps files that describe messages of protocol buffers, in place of those of the same names.
    /// What was seen in answers of reflection takes the place of nothing that was given.
    func addProtoFiles(
        _ files: [ProtoFile],
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    )
    /// Removes the file of a name; answers whether there was one.
    func removeProtoFile(
        named name: String,
        completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
    )
    /// Removes exchanges and everything that belongs to them; answers with their number when they
    /// are gone.
    func clear(
        _ selection: ClearSelection,
        completion: @escaping @Sendable (Result<Int64, StoreError>) -> Void
    )
    /// Writes what is waiting and gives the store back. Waits for all that; a second call does
    /// nothing.
    func stop()
}
