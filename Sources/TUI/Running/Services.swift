internal import FoundationEssentials
public import ProxydCaptureModel
public import ProxydOperations

/// Services that the program provides to the interface.
public struct Services: Sendable {
    /// Opens the store for reading; throws `StoreError`. Each worker opens its own.
    public var openStore: @Sendable () throws -> any ExchangeReading
    /// Identifies the store's file, to detect a replacement; nil if there is no store.
    public var storeIdentity: @Sendable () -> UInt64? = { nil }
    /// Waits at most 200 ms for a change of the store; returns whether there may have been one.
    /// Called by one thread.
    public var waitForChange: @Sendable () -> Bool
    /// Actions outside the viewer.
    public var hostActions: HostActions
    /// The directory for history and saved filters, or nil if nothing is to be kept.
    public var stateDirectory: String?
    /// The directory for copies that do not fit in the clipboard.
    public var copyDirectory: String
    /// The user's editor as a shell command, or nil if unknown.
    public var editor: String?
    /// Whether to use colours.
    public var usesColour: Bool
    /// The requested theme.
    public var theme = ThemeChoice.auto
    /// The value of `COLORFGBG`, which describes the terminal's colours, for terminals that do not
    /// answer.
    public var terminalColours: String?
    /// The wall-clock time in nanoseconds since 1970.
    public var now: @Sendable () -> Int64

    /// Creates services without the optional ones.
    public init(
        openStore: @escaping @Sendable () throws -> any ExchangeReading,
        waitForChange: @escaping @Sendable () -> Bool, hostActions: HostActions = HostActions(),
        stateDirectory: String? = nil, copyDirectory: String = "/tmp", editor: String? = nil,
        usesColour: Bool = true, now: @escaping @Sendable () -> Int64
    ) {
        self.openStore = openStore
        self.waitForChange = waitForChange
        self.hostActions = hostActions
        self.stateDirectory = stateDirectory
        self.copyDirectory = copyDirectory
        self.editor = editor
        self.usesColour = usesColour
        self.now = now
    }
}
