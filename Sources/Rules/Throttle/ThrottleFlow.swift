/// One of those who share a line: the bytes of a connection or of an exchange, in one direction.
public struct ThrottleFlow: Sendable, Hashable {
    /// A number that is the flow's alone among those of its line.
    public let rawValue: Int64

    /// The flow of a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}
