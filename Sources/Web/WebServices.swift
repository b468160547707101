public import ProxydAgents
public import ProxydCaptureModel
public import ProxydOperations

/// What the page and its interface need of the program that serves them.
public struct WebServices: Sendable {
    /// Opens the store for reading.
    public var openStore: @Sendable () throws -> any ExchangeReading
    /// Tells the store's file apart from one that replaces it; nil if there is no file.
    public var storeIdentity: @Sendable () -> UInt64?
    /// Lets a running daemon commit what has ended, before a request that may read the store is
    /// handled; returns soon in any case.
    public var commitEnded: @Sendable () -> Void = {}
    /// Waits for at most a tenth of a second; returns whether the store may have changed.
    public var waitForChange: @Sendable () -> Bool
    /// The current time in nanoseconds since 1970.
    public var now: @Sendable () -> Int64
    /// What users may do; actions that are nil are answered 403.
    public var actions = HostActions()
    /// Answers agents at `/mcp`; nil if there are none.
    public var agents: MCPServer?
    /// The data directory, shown to users.
    public var dataDirectory = ""
    /// The version of the program.
    public var version = ""

    /// Creates services without any actions.
    public init(
        openStore: @escaping @Sendable () throws -> any ExchangeReading,
        storeIdentity: @escaping @Sendable () -> UInt64?,
        waitForChange: @escaping @Sendable () -> Bool, now: @escaping @Sendable () -> Int64
    ) {
        self.openStore = openStore
        self.storeIdentity = storeIdentity
        self.waitForChange = waitForChange
        self.now = now
    }
}
