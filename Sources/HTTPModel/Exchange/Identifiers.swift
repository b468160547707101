/// The number of an exchange in its store: ascending, never used twice.
public struct ExchangeID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1 or more.
    public let rawValue: Int64
    /// An exchange's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number as text.
    public var description: String { String(rawValue) }
    /// Orders by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a connection (one leg) in its store: ascending, never used twice.
public struct ConnectionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1 or more.
    public let rawValue: Int64
    /// A connection's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number as text.
    public var description: String { String(rawValue) }
    /// Orders by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a stream on a connection of HTTP/2 (RFC 9113 §5.1.1): odd where the client began
/// it.
public struct StreamID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1…2³¹−1.
    public let rawValue: UInt32
    /// A stream's number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The number as text.
    public var description: String { String(rawValue) }
    /// Orders by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
