/// A program on this machine that holds one end of a connection.
public struct LocalProcess: Sendable, Hashable {
    /// Its process id.
    public let pid: Int32
    /// Its program name, without path.
    public let name: String

    /// A program.
    public init(pid: Int32, name: String) {
        self.pid = pid
        self.name = name
    }
}
