public import ProxydRules

/// The status of a running daemon.
public struct DaemonStatus: Sendable, Hashable, Codable {
    public var version: String
    public var pid: Int32
    /// The wall-clock time of its start, in nanoseconds since 1970.
    public var startedAt: Int64
    /// The addresses on which it accepts clients, such as `127.0.0.1:8080`.
    public var listenAddresses: [String]
    /// Those at which it is an HTTP proxy; nil from a daemon that does not tell.
    public var proxyAddresses: [String]?
    /// Those at which it takes connections that the firewall redirects; nil from a daemon that does
    /// not tell.
    public var transparentAddresses: [String]?
    public var dataDirectory: String
    /// Why recording is stopped (such as a full disk or a user's command), or nil while it runs.
    public var recordingStoppedBecause: String?
    /// The first mistake in the rules file as `FILE:LINE: what`, or nil for none.
    public var rulesProblem: String?
    /// How often the rules in force have changed; nil from a daemon that does not count that.
    public var rulesChangeCount: Int?
    /// The number of client connections that are open now.
    public var clientConnectionCount = 0
    /// The number of server connections that are open now, including idle ones.
    public var serverConnectionCount = 0
    public var activeExchangeCount = 0
    /// The number of exchanges finished since the start.
    public var finishedExchangeCount: Int64 = 0
    /// The number of bytes that wait for the recorder.
    public var queuedByteCount: Int64 = 0
    /// The number of exchanges lost because recording was stopped or too slow.
    public var droppedExchangeCount: Int64 = 0
    /// The number of body bytes lost for the same reasons.
    public var droppedBodyByteCount: Int64 = 0
    /// The number of connections that are missing in rows for the same reasons.
    public var droppedConnectionCount: Int64 = 0
    /// The number of exchanges not recorded because recording was off or its filter did not select
    /// them; nil from a daemon that does not count them.
    public var unrecordedExchangeCount: Int64?
    /// Hosts whose interception was switched manually, and whether it is on; nil from a daemon that
    /// does not support it.
    public var switchedHosts: [String: Bool]?
    public var storedExchangeCount: Int64 = 0
    /// The size of the store's file in bytes.
    public var storeByteCount: Int64 = 0
    /// The size of the store's write-ahead log in bytes.
    public var walByteCount: Int64 = 0
    /// The daemon's resident memory in bytes, or nil if unknown.
    public var residentByteCount: Int64?
    /// The daemon's processor time since its start in nanoseconds, or nil if unknown. Like what
    /// follows, nil from a daemon that does not report it.
    public var processorNs: Int64?
    /// The number of its open descriptors, or nil if unknown.
    public var openDescriptorCount: Int?
    /// The number of descriptors that it may open, or nil if unknown.
    public var descriptorCountMax: Int?
    /// The bytes that it may still write where the store is, or nil if unknown.
    public var freeByteCount: Int64?

    /// What interfaces hold without a rule of the file, or nil for nothing.
    public var intercept: Intercept?

    /// The first address at which clients use it as an HTTP proxy, or nil if there is none.
    public var proxyAddress: String? { (proxyAddresses ?? listenAddresses).first }

    /// Creates a status with the facts that never change; the daemon sets the rest.
    public init(
        version: String, pid: Int32, startedAt: Int64, listenAddresses: [String],
        dataDirectory: String
    ) {
        self.version = version
        self.pid = pid
        self.startedAt = startedAt
        self.listenAddresses = listenAddresses
        self.dataDirectory = dataDirectory
    }
}

/// The daemon's rules for servers, in the format of its configuration.
public struct ServerRulesStatus: Sendable, Hashable, Codable {
    /// PEM files of authorities trusted in addition to the system's, as absolute paths.
    public var extraCAFiles: [String]
    /// Patterns of hosts whose certificates are not verified, as in `tls.unverified_hosts`.
    public var unverifiedHosts: [String]
    /// Networks that the daemon does not connect to, as `ADDRESS` or `ADDRESS/BITS`.
    public var deniedNetworks: [String]

    public init(extraCAFiles: [String], unverifiedHosts: [String], deniedNetworks: [String]) {
        self.extraCAFiles = extraCAFiles
        self.unverifiedHosts = unverifiedHosts
        self.deniedNetworks = deniedNetworks
    }
}
