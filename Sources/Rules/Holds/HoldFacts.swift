/// The number of a hold: ascending from 1, never used twice while the daemon runs.
public struct HoldID: Sendable, Hashable, Comparable {
    /// 1 or more.
    public let rawValue: Int64

    /// A hold's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Orders by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A connection of one who looks at holds, or decides about them.
public struct HoldClient: Sendable, Hashable {
    /// Its number.
    public let rawValue: Int64

    /// A connection's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A part of a held message.
public enum HoldPart: String, Sendable, Hashable, Codable, CaseIterable {
    /// Its head, as text.
    case head
    /// Its content, before content codings.
    case body
}

/// What there is to say of a hold.
public struct HoldFacts: Sendable {
    /// Its number.
    public let id: HoldID
    /// What is held.
    public let message: HeldMessage
    /// When it began, in nanoseconds since 1970.
    public let since: Int64
    /// When it ends if no one decides, in nanoseconds since 1970.
    public let deadline: Int64
    /// Who has claimed it; nil where it is free.
    public let claimedBy: String?
}

/// What interfaces that take holds hear.
public enum HoldNews: Sendable {
    /// A message is held.
    case held(HoldFacts)
    /// Someone has claimed one; nil: it is free again.
    case claimed(HoldID, by: String?)
    /// One has ended; how, as the record has it.
    case gone(HoldID, reason: String)
}
