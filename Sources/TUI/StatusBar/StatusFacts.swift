/// What the status bar tells of daemon and store.
public struct StatusFacts: Sendable, Hashable {
    /// Whether proxyd runs; nil before anybody looked.
    public var isDaemonRunning: Bool?
    /// Why it does not record; nil where it does, or where it does not run.
    public var recordingStoppedBecause: String?
    /// What is wrong with the file of rules, `FILE:LINE: what`; nil for nothing.
    public var rulesProblem: String?
    /// Exchanges in the store.
    public var exchangeCount: Int64?
    /// Octets of the store's file and its log.
    public var storeByteCount: Int64?
    /// Exchanges that were lost because recording could not follow.
    public var droppedExchangeCount: Int64
    /// Body octets that were lost for the same reason.
    public var droppedBodyByteCount: Int64
    /// Addresses the daemon accepts clients on.
    public var listenAddresses: [String]

    /// What rules hold now, oldest first.
    public var holds: [HeldFacts] = []
    /// Whether this interface takes holds.
    public var isTakingHolds = false

    /// The authority's certificate in PEM; nil where there is none yet.
    public var certificatePath: String?
    /// How this program is called for this data directory, as a shell reads it.
    public var ownCommand: String?
    /// How the daemon is started for it.
    public var daemonCommand: String?

    /// Nothing known yet.
    public init() {
        droppedExchangeCount = 0
        droppedBodyByteCount = 0
        listenAddresses = []
    }
}
