/// Takes what rules hold, and lets a person decide about it.
public protocol Holding: Sendable {
    /// Takes holds from now on, or no longer: rules hold messages only while someone takes them.
    /// Throws what a person is told.
    func take(_ isOn: Bool) throws
    /// Opens a hold, so that others see who decides about it, until what is returned is let go of.
    /// Throws what a person is told, when it is taken or over for example.
    func open(_ hold: Int64) throws -> any OpenedHold
    /// Lets everything go on as it is; how many messages that were.
    func resumeAll() throws -> Int
}

/// A held message that a person looks at. What its members throw is for that person.
public protocol OpenedHold: AnyObject, Sendable {
    /// The head as text; a request's first line has the whole URL.
    var head: [UInt8] { get }
    /// The content, before content codings; nil where it is not held.
    var content: [UInt8]? { get }
    /// Lets it go on, with another head or content where one is given.
    func resume(head: [UInt8]?, content: [UInt8]?) throws
    /// Answers the client.
    func answer(head: [UInt8], content: [UInt8]) throws
    /// Ends the client's connection without an answer.
    func drop() throws
}

/// What is known of a held message.
public struct HeldFacts: Sendable, Hashable {
    /// The hold's number.
    public var hold: Int64
    /// The exchange it belongs to.
    public var exchange: Int64
    /// Whether it is a request; else a response.
    public var isRequest: Bool
    /// The rule that holds it.
    public var rule: String
    /// The request's method.
    public var method: String
    /// The request's URL.
    public var url: String
    /// The response's status; nil for a request.
    public var status: Int?
    /// When it began, in nanoseconds since 1970.
    public var since: Int64
    /// When it ends if no one decides, in nanoseconds since 1970.
    public var deadline: Int64
    /// Who has opened it; nil where no one has.
    public var openedBy: String?

    /// Facts about a hold.
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
