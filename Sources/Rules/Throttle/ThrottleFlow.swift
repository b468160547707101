/// A participant of a line: the bytes of a connection or of an exchange, in one direction.
public struct ThrottleFlow: Sendable, Hashable {
    /// A number that is unique among the flows of a line.
    public let rawValue: Int64
    /// Whether its bytes go through the pipe. Those of an exchange do not: its head has already
    /// waited for the latency, and they follow the head.
    public let goesThroughPipe: Bool

    /// Creates the flow with a number.
    public init(rawValue: Int64, goesThroughPipe: Bool = true) {
        self.rawValue = rawValue
        self.goesThroughPipe = goesThroughPipe
    }
}
