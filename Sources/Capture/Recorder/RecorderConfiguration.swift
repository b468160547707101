/// How a recorder behaves. The reasons of the defaults are in `docs/DEFAULTS.md`.
public struct RecorderConfiguration: Sendable {
    /// What to do when the disk cannot follow.
    public enum CongestionPolicy: String, Sendable, Hashable, CaseIterable {
        /// Ask the senders to wait: the proxy reads slower.
        case slow
        /// Let traffic run and leave bodies out; their rows say so.
        case drop
    }

    /// When a commit is safe against power failure. Against `kill -9` each one is.
    public enum Durability: String, Sendable, Hashable, CaseIterable {
        /// At least once a second under traffic.
        case everySecond
        /// Each commit, at the price of one fsync each.
        case always
    }

    /// What may wait to be written, in octets.
    public var queueByteCountMax = 16 << 20
    /// What to do beyond that.
    public var congestionPolicy = CongestionPolicy.slow
    /// When commits are made safe against power failure.
    public var durability = Durability.everySecond
    /// Recording stops while the file system has less room than this, in octets.
    public var freeSpaceFloorByteCount: Int64 = 256 << 20
    /// The write-ahead log is copied into the database whenever it has grown by this, in octets.
    public var checkpointByteCount: Int64 = 8 << 20
    /// Bodies longer than this are not decoded into parameters, in octets.
    public var parameterBodyByteCountMax = 1 << 20
    /// Fields and parameters of which the values are never stored.
    public var unstored = UnstoredNames()
    /// How much the store keeps.
    public var retention = RetentionPolicy()
    /// What tests put in place of the system; nil in life.
    var faults: RecorderFaults?

    /// The defaults.
    public init() {}
}

/// Stands in for disks that fail, so that tests need none.
struct RecorderFaults: Sendable {
    /// Octets free where the store lives; nil asks the file system.
    var freeByteCount: (@Sendable () -> Int64)?
    /// An SQLite result code to fail the next commit with; 0 for none.
    var commitResult: (@Sendable () -> Int32)?
}
