/// How a running daemon is.
public struct DaemonStatus: Sendable, Hashable, Codable {
    /// The program's version.
    public var version: String
    /// Its process id.
    public var pid: Int32
    /// Wall clock at its start, nanoseconds since 1970.
    public var startedAt: Int64
    /// Addresses it accepts clients on: `127.0.0.1:8080`.
    public var listenAddresses: [String]
    /// Where its store is.
    public var dataDirectory: String
    /// Why recording is stopped (a full disk, a user's wish); nil while it runs.
    public var recordingStoppedBecause: String?
    /// The first thing that is wrong with the file of rules, `FILE:LINE: what`; nil for nothing.
    public var rulesProblem: String?
    /// Client connections open now.
    public var clientConnectionCount: Int
    /// Server connections open now, idle ones included.
    public var serverConnectionCount: Int
    /// Exchanges under way now.
    public var activeExchangeCount: Int
    /// Exchanges finished since the start.
    public var finishedExchangeCount: Int64
    /// Octets waiting for the recorder.
    public var queuedByteCount: Int64
    /// Exchanges that were lost because recording was stopped or could not follow.
    public var droppedExchangeCount: Int64
    /// Body octets that were lost for the same reasons.
    public var droppedBodyByteCount: Int64
    /// Connections that rows lack for the same reasons.
    public var droppedConnectionCount: Int64
    /// Exchanges that passed unrecorded, because recording was switched off or its filter did not
    /// select them; nil from a daemon that does not count them.
    public var unrecordedExchangeCount: Int64?
    /// Hosts whose interception was switched by hand, and whether their TLS is opened; nil from a
    /// daemon that knows none.
    public var switchedHosts: [String: Bool]?
    /// Exchanges in the store.
    public var storedExchangeCount: Int64
    /// The store's file, octets.
    public var storeByteCount: Int64
    /// The store's write-ahead log, octets.
    public var walByteCount: Int64
    /// Resident memory of the daemon, octets; nil where not known.
    public var residentByteCount: Int64?

    /// A status with the facts that never change; the rest is set by the daemon.
    public init(
        version: String, pid: Int32, startedAt: Int64, listenAddresses: [String],
        dataDirectory: String
    ) {
        self.version = version
        self.pid = pid
        self.startedAt = startedAt
        self.listenAddresses = listenAddresses
        self.dataDirectory = dataDirectory
        clientConnectionCount = 0
        serverConnectionCount = 0
        activeExchangeCount = 0
        finishedExchangeCount = 0
        queuedByteCount = 0
        droppedExchangeCount = 0
        droppedBodyByteCount = 0
        droppedConnectionCount = 0
        storedExchangeCount = 0
        storeByteCount = 0
        walByteCount = 0
    }
}
