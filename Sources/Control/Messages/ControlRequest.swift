/// One line from a client: a command, and the number that its replies repeat.
public struct ControlRequest: Sendable, Hashable, Codable {
    /// Chosen by the client and repeated in every reply.
    public var id: Int64
    /// The command to carry out.
    public var command: ControlCommand

    /// Creates a request.
    public init(id: Int64, command: ControlCommand) {
        self.id = id
        self.command = command
    }
}
