/// Accepts messages that rules hold, and lets the user decide about them.
public protocol Holding: Sendable {
    /// Starts or stops accepting holds: rules hold messages only while a client accepts them.
    /// Throws an error message for the user.
    func take(_ isOn: Bool) throws
    /// Opens a hold until the returned object is released, so that others see who decides about it.
    /// Throws an error message for the user, for example if another client opened it or it has
    /// ended.
    func open(_ hold: Int64) throws -> any OpenedHold
    /// Lets all held messages continue unchanged; returns how many there were.
    func resumeAll() throws -> Int
}

/// A held message that the user looks at. Its members throw error messages for the user.
public protocol OpenedHold: AnyObject, Sendable {
    /// The head as text; the first line of a request contains the complete URL.
    var head: [UInt8] { get }
    /// The content before content codings, or nil if it is not held.
    var content: [UInt8]? { get }
    /// Lets the message continue, with another head or content if given.
    func resume(head: [UInt8]?, content: [UInt8]?) throws
    /// Answers the client.
    func answer(head: [UInt8], content: [UInt8]) throws
    /// Closes the client's connection without an answer.
    func drop() throws
}

/// Facts about a held message.
public struct HeldFacts: Sendable, Hashable {
    /// The number of the hold.
    public var hold: Int64
    /// The number of the exchange that it belongs to.
    public var exchange: Int64
    /// Whether the message is a request; otherwise it is a response.
    public var isRequest: Bool
    /// The rule that holds the message.
    public var rule: String
    /// The request's method.
    public var method: String
    /// The request's URL.
    public var url: String
    /// The response's status, or nil for a request.
    public var status: Int?
    /// When the hold started, in nanoseconds since 1970.
    public var since: Int64
    /// When the hold ends if no one decides, in nanoseconds since 1970.
    public var deadline: Int64
    /// Who has opened the hold, or nil if no one has.
    public var openedBy: String?

    /// Creates facts about a hold.
    public init(
        hold: Int64, exchange: Int64, isRequest: Bool, rule: String, method: String, url: String,
        status: Int? = nil, since: Int64, deadline: Int64, openedBy: String? = nil
    ) {
        self.hold = hold
        self.exchange = exchange
        self.isRequest = isRequest
        self.rule = rule
        self.method = method
        self.url = url
        self.status = status
        self.since = since
        self.deadline = deadline
        self.openedBy = openedBy
    }
}
