/// Facts about daemon and store in the status bar.
public struct StatusFacts: Sendable, Hashable {
    /// Whether proxyd is running, or nil before the first check.
    public var isDaemonRunning: Bool?
    /// Why it does not record, or nil if it records or is not running.
    public var recordingStoppedBecause: String?
    /// The error in the rules file as `FILE:LINE: message`, or nil if there is none.
    public var rulesProblem: String?
    /// The number of exchanges in the store.
    public var exchangeCount: Int64?
    /// The size of the store's file and its log in bytes.
    public var storeByteCount: Int64?
    /// The number of exchanges dropped because recording could not keep up.
    public var droppedExchangeCount: Int64
    /// The number of body bytes dropped for the same reason.
    public var droppedBodyByteCount: Int64
    /// The addresses on which the daemon accepts clients.
    public var listenAddresses: [String]
    /// The first of them at which clients use it as an HTTP proxy, or nil if unknown.
    public var proxyAddress: String?

    /// The messages that rules hold, oldest first.
    public var holds: [HeldFacts] = []
    /// Whether this interface accepts holds.
    public var isTakingHolds = false

    /// The path of the authority's PEM certificate, or nil if there is none yet.
    public var certificatePath: String?
    /// The shell command that runs this program for this data directory.
    public var ownCommand: String?
    /// The shell command that starts the daemon for it.
    public var daemonCommand: String?

    /// Creates facts with nothing known.
    public init() {
        droppedExchangeCount = 0
        droppedBodyByteCount = 0
        listenAddresses = []
    }
}
