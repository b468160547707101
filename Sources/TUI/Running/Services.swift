internal import Foundation
public import ProxydCaptureModel

/// What the program brings for the interface to run with.
public struct Services: Sendable {
    /// Opens the store for reading; throws `StoreError`. Each worker opens its own.
    public var openStore: @Sendable () throws -> any ExchangeReading
    /// Tells the file of the store from one that takes its place; nil where there is none.
    public var storeIdentity: @Sendable () -> UInt64? = { nil }
    /// Waits 200 ms at most for a change of the store; says whether there may have been one. Called
    /// by one thread.
    public var waitForChange: @Sendable () -> Bool
    /// What acts on the world.
    public var hostActions: HostActions
    /// Directory for history and saved filters; nil where nothing is to be kept.
    public var stateDirectory: String?
    /// Directory for what the clipboard cannot take.
    public var copyDirectory: String
    /// The user's editor as a shell command; nil where none is known.
    public var editor: String?
    /// Whether colours are wanted.
    public var usesColour: Bool
    /// Which theme is wanted.
    public var theme = ThemeChoice.auto
    /// `COLORFGBG`: what the environment says of the terminal's colours, for terminals that do not
    /// answer.
    public var terminalColours: String?
    /// The wall clock, nanoseconds since 1970.
    public var now: @Sendable () -> Int64

    /// Services with everything optional left out.
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
