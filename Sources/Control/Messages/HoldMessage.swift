public import FoundationEssentials

/// A client's command about held messages. A hold is identified by its number.
public enum HoldCommand: Sendable, Hashable, Codable {
    /// A part of a held message.
    public enum Part: String, Sendable, Hashable, Codable {
        /// The head as text; a request's first line contains the whole URL.
        case head
        /// The content without content codings.
        case body
    }

    /// Subscribes to holds: rules hold messages while a subscribed connection is open; with a
    /// filter, only those that it selects. Answered by `done`, then by the events of all holds,
    /// with the same id.
    case subscribe(filter: String?)
    /// Lists the held messages; answered by `ControlResult.holds`. With a filter, only those that
    /// it selects.
    case list(filter: String?)
    /// Reads a piece of a part, at most `ControlLimits.holdPieceByteCountMax` bytes; answered by
    /// `ControlResult.bytes`.
    case read(hold: Int64, part: Part, offset: Int)
    /// Tells others that the hold is being handled by `name`. Answered by `done`, or the error
    /// `taken`.
    case claim(hold: Int64, name: String)
    /// Writes a piece of a part's replacement. A piece at offset 0 starts again. Answered by
    /// `done`.
    case write(hold: Int64, part: Part, offset: Int, bytes: Data)
    /// Resumes the message, edited if `isEdited`, otherwise unchanged; then applies actions in the
    /// format of rules: `set header:X-A=1`. Answered by `done`.
    case resume(hold: Int64, isEdited: Bool, actions: [String])
    /// Answers the client with the head and body that were written. Answered by `done`.
    case answer(hold: Int64)
    /// Closes the client's connection without a response. Answered by `done`.
    case drop(hold: Int64)
    /// Resumes all messages that a filter selects, or all if it is nil; answered by `affected`.
    case resumeAll(filter: String?)

    /// The JSON keys of `write`; `octets` stays for compatibility with other versions.
    private enum WriteCodingKeys: String, CodingKey {
        case hold, part, offset
        case bytes = "octets"
    }
}

/// A held message.
public struct HoldMessage: Sendable, Hashable, Codable {
    /// The number of the hold.
    public var hold: Int64
    /// The number of the exchange that the message belongs to.
    public var exchangeID: Int64
    /// `request` or `response`.
    public var phase: String
    /// The name of the rule that holds the message.
    public var rule: String
    /// The request's method.
    public var method: String
    /// The request's URL, truncated to 8 KiB.
    public var url: String
    /// The response's status, or nil for a request.
    public var status: Int?
    /// The start of the hold, in nanoseconds since 1970.
    public var since: Int64
    /// When the hold ends if no client decides, in nanoseconds since 1970.
    public var deadline: Int64
    /// The size of the body as it is sent, in bytes; nil if the body is not held.
    public var bodyByteCount: Int?
    /// The client that has claimed the hold, or nil if it is free.
    public var claimedBy: String?

    /// The most bytes of a URL that are sent.
    private static let urlByteCountMax = 8 << 10

    /// Creates a hold.
    public init(
        hold: Int64, exchangeID: Int64, phase: String, rule: String, method: String, url: String,
        status: Int?, since: Int64, deadline: Int64, bodyByteCount: Int?, claimedBy: String?
    ) {
        self.hold = hold
        self.exchangeID = exchangeID
        self.phase = phase
        self.rule = rule
        self.method = method
        self.url = String(decoding: url.utf8.prefix(HoldMessage.urlByteCountMax), as: UTF8.self)
        self.status = status
        self.since = since
        self.deadline = deadline
        self.bodyByteCount = bodyByteCount
        self.claimedBy = claimedBy
    }
}
