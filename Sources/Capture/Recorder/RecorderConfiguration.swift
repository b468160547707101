/// Settings of a recorder. `docs/DEFAULTS.md` explains the defaults.
public struct RecorderConfiguration: Sendable {
    /// What to do when the disk is too slow.
    public enum CongestionPolicy: String, Sendable, Hashable, CaseIterable {
        /// Ask the callers to wait: the proxy then reads more slowly.
        case slow
        /// Let traffic pass and drop bodies; the rows of those exchanges say so.
        case drop
    }

    /// When a commit becomes durable against power failure. Every commit survives `kill -9`.
    public enum Durability: String, Sendable, Hashable, CaseIterable {
        /// At least once a second while there is traffic.
        case everySecond
        /// Every commit, at the cost of one fsync each.
        case always
    }

    /// The maximum size of the queue in bytes.
    public var queueByteCountMax = 16 << 20
    /// What to do when the queue is full.
    public var congestionPolicy = CongestionPolicy.slow
    /// When commits become durable against power failure.
    public var durability = Durability.everySecond
    /// Recording stops while the file system has less free space than this, in bytes.
    public var freeSpaceFloorByteCount: Int64 = 256 << 20
    /// The write-ahead log is copied into the database each time it has grown by this many bytes.
    public var checkpointByteCount: Int64 = 8 << 20
    /// Parameters are not extracted from bodies longer than this, in bytes.
    public var parameterBodyByteCountMax = 1 << 20
    /// Fields and parameters whose values are never stored.
    public var unstored = UnstoredNames()
    /// How much the store keeps.
    public var retention = RetentionPolicy()
    /// Replaces parts of the system in tests; nil in production.
    var faults: RecorderFaults?

    /// Creates the default configuration.
    public init() {}
}

/// Simulates failing disks for tests.
struct RecorderFaults: Sendable {
    /// The free space on the store's file system in bytes; nil asks the file system.
    var freeByteCount: (@Sendable () -> Int64)?
    /// An SQLite result code with which the next commit fails; 0 for none.
    var commitResult: (@Sendable () -> Int32)?
}
