/// The number of an exchange in its store: ascending, never reused.
public struct ExchangeID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number, 1 or more.
    public let rawValue: Int64
    /// Creates an identifier from a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in decimal digits.
    public var description: String { String(rawValue) }
    /// Orders identifiers by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a connection, on either side of the proxy, in its store: ascending, never reused.
public struct ConnectionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number, 1 or more.
    public let rawValue: Int64
    /// Creates an identifier from a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in decimal digits.
    public var description: String { String(rawValue) }
    /// Orders identifiers by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The identifier of a stream on an HTTP/2 connection (RFC 9113 §5.1.1): odd if the client opened
/// it.
public struct StreamID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number, 1…2³¹−1.
    public let rawValue: UInt32
    /// Creates an identifier from a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The number in decimal digits.
    public var description: String { String(rawValue) }
    /// Orders identifiers by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
