/// One of those who share a line: the bytes of a connection or of an exchange, in one direction.
public struct ThrottleFlow: Sendable, Hashable {
    /// A number that is the flow's alone among those of its line.
    public let rawValue: Int64
    /// Whether its bytes go through the pipe. Those of an exchange do not: its head has waited for
    /// it, and they are behind the head.
    public let goesThroughPipe: Bool

    /// The flow of a number.
    public init(rawValue: Int64, goesThroughPipe: Bool = true) {
        self.rawValue = rawValue
        self.goesThroughPipe = goesThroughPipe
    }
}
