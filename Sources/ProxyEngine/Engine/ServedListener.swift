/// A listener: its name, and what its clients find.
public struct ServedListener: Sendable {
    /// Identifies the listener in records, and when the configuration is asked about a client.
    public let name: String
    /// What its clients find.
    public let mode: ListenerMode
    /// Whether each connection starts with a header of the PROXY protocol.
    public let expectsPROXYHeader: Bool

    /// Creates a listener, a proxy by default.
    public init(name: String = "", mode: ListenerMode = .proxy, expectsPROXYHeader: Bool = false) {
        self.name = name
        self.mode = mode
        self.expectsPROXYHeader = expectsPROXYHeader
    }
}
