/// The number of a hold: ascending from 1, never reused while the daemon runs.
public struct HoldID: Sendable, Hashable, Comparable {
    /// The number, 1 or more.
    public let rawValue: Int64

    /// Creates a hold number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Orders holds by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The connection of a client that lists holds or decides about them.
public struct HoldClient: Sendable, Hashable {
    /// The number of the connection.
    public let rawValue: Int64

    /// Creates a client from its connection number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A part of a held message.
public enum HoldPart: String, Sendable, Hashable, Codable, CaseIterable {
    /// The head, as text.
    case head
    /// The content, before content codings.
    case body
}

/// A description of a hold.
public struct HoldFacts: Sendable {
    /// The number of the hold.
    public let id: HoldID
    /// The held message.
    public let message: HeldMessage
    /// When it was held, in nanoseconds since 1970.
    public let since: Int64
    /// When it ends if no one decides, in nanoseconds since 1970.
    public let deadline: Int64
    /// The name of the client that has claimed it; nil if none has.
    public let claimedBy: String?
}

/// Events for interfaces that handle holds.
public enum HoldNews: Sendable {
    /// A message is now held.
    case held(HoldFacts)
    /// A client has claimed a hold, or released it if the name is nil.
    case claimed(HoldID, by: String?)
    /// A hold has ended; with the reason that is recorded.
    case gone(HoldID, reason: String)
}
