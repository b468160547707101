/// The status of a recorder, for `status` and for monitoring.
public struct RecorderStatus: Sendable, Hashable {
    /// Why nothing is being written.
    public enum PauseReason: String, Sendable, Hashable, CaseIterable {
        /// The file system is full or has less free space than the floor.
        case diskFull
        /// Another process holds a lock on the database.
        case locked
        /// A read, write or sync failed; the store is reopened and verified.
        case ioError
    }

    /// Whether exchanges are written to the store.
    public enum State: Sendable, Hashable {
        /// Exchanges are being written.
        case recording
        /// Writing has stopped for now and is retried automatically.
        case paused(PauseReason)
        /// The recorder was stopped.
        case stopped
    }

    /// Whether exchanges are written to the store.
    public var state = State.recording
    /// The number of exchanges in the store.
    public var exchangeCount: Int64 = 0
    /// The number of exchanges that have not ended.
    public var activeCount = 0
    /// The size of the database file in bytes.
    public var storeByteCount: Int64 = 0
    /// The size of the write-ahead log in bytes.
    public var walByteCount: Int64 = 0
    /// Whether the index files still lack exchanges that are old enough for them.
    public var isIndexing = false
    /// The size of what is queued for writing, in bytes.
    public var queueByteCount = 0
    /// The number of exchanges since startup that were not recorded at all.
    public var droppedExchangeCount: Int64 = 0
    /// The number of body bytes dropped since startup because the queue was full.
    public var droppedBodyByteCount: Int64 = 0
    /// How many times since startup the facts about a connection were not recorded: the rows of its
    /// exchanges lack the client's address, or TLS.
    public var droppedConnectionCount: Int64 = 0
    /// The number of exchanges found at startup that a crash had left open.
    public var interruptedCount = 0
    /// The path to which a damaged store was renamed, or nil if there was none.
    public var damagedStorePath: String?
    /// The most recent error as a message for users, or nil if there was none.
    public var lastError: String?

    /// Creates the initial status.
    public init() {}
}
