public import ProxydCaptureModel
public import ProxydOperations
public import ProxydParameterCoding

/// What agents need from the program that serves them.
public struct AgentServices: Sendable {
    /// Runs a read-only SQL statement: passes on the names of its columns once, then its rows until
    /// the second closure returns false. A `ReadCancellation` ends it. Throws an error message for
    /// the user.
    public typealias SQLRunner =
        @Sendable (
            _ statement: String, _ onColumns: ([String]) -> Void, _ onRow: ([JSONValue]) -> Bool
        ) throws -> Void

    /// Opens the store for reading.
    public var openStore: @Sendable () throws -> any ExchangeReading
    /// Tells the store's file apart from one that replaces it; nil if there is no file.
    public var storeIdentity: @Sendable () -> UInt64?
    /// Lets a running daemon commit what has ended, before a tool is called or a resource is read;
    /// returns soon in any case.
    public var commitEnded: @Sendable () -> Void = {}
    /// The current time in nanoseconds since 1970.
    public var now: @Sendable () -> Int64
    /// What the program can do; `policy` decides which of these actions agents may use.
    public var actions = HostActions()
    /// Runs SQL; nil if the store does not support it.
    public var sql: SQLRunner?
    /// What agents may see and do.
    public var policy = AgentPolicy()
    /// The version of the program.
    public var version = ""

    /// Creates services that only read, without credentials.
    public init(
        openStore: @escaping @Sendable () throws -> any ExchangeReading,
        storeIdentity: @escaping @Sendable () -> UInt64?, now: @escaping @Sendable () -> Int64
    ) {
        self.openStore = openStore
        self.storeIdentity = storeIdentity
        self.now = now
    }
}
