/// One line from a client: a command and the number its answers will carry.
public struct ControlRequest: Sendable, Hashable, Codable {
    /// Chosen by the client; every answer repeats it.
    public var id: Int64
    /// What is asked.
    public var command: ControlCommand

    /// A request.
    public init(id: Int64, command: ControlCommand) {
        self.id = id
        self.command = command
    }
}
