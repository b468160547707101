/// What a recorder is doing, for `status` and for alarms.
public struct RecorderStatus: Sendable, Hashable {
    /// Why nothing is being written.
    public enum PauseReason: String, Sendable, Hashable, CaseIterable {
        /// No room, or less than the floor.
        case diskFull
        /// Another process holds a lock on the database.
        case locked
        /// Reading, writing or syncing failed; the store is reopened and verified.
        case ioError
    }

    /// Whether exchanges reach the store.
    public enum State: Sendable, Hashable {
        /// They do.
        case recording
        /// They do not, for now; it is tried again by itself.
        case paused(PauseReason)
        /// They do not any more.
        case stopped
    }

    /// Whether exchanges reach the store.
    public var state = State.recording
    /// Exchanges in the store.
    public var exchangeCount: Int64 = 0
    /// Exchanges that have not ended.
    public var activeCount = 0
    /// The database file's size in octets.
    public var storeByteCount: Int64 = 0
    /// The write-ahead log's size in octets.
    public var walByteCount: Int64 = 0
    /// Whether the index files still lack exchanges that are old enough for them.
    public var isIndexing = false
    /// What waits to be written, in octets.
    public var queueByteCount = 0
    /// Exchanges that were not recorded at all, since the start.
    public var droppedExchangeCount: Int64 = 0
    /// Body octets that were left out for want of room in the queue, since the start.
    public var droppedBodyByteCount: Int64 = 0
    /// Times that what is known of a connection was not recorded, since the start: its exchanges'
    /// rows lack the client's address, or TLS.
    public var droppedConnectionCount: Int64 = 0
    /// Exchanges that a crash had left open, found at the start.
    public var interruptedCount = 0
    /// Where a damaged store was put at the start or later; nil where there was none.
    public var damagedStorePath: String?
    /// The last thing that went wrong, for a person; nil where nothing did.
    public var lastError: String?

    /// The state before anything happened.
    public init() {}
}
