/// A message that is held.
public struct HoldMessage: Sendable, Hashable, Codable {
    /// The hold's number.
    public var hold: Int64
    /// The exchange that the message belongs to.
    public var exchangeID: Int64
    /// `request` or `response`.
    public var phase: String
    /// The rule that holds it.
    public var rule: String
    /// The request's method.
    public var method: String
    /// The request's URL, cut at 8 KiB.
    public var url: String
    /// The response's status; nil for a request.
    public var status: Int?
    /// When it began, in nanoseconds since 1970.
    public var since: Int64
    /// When it ends if no one decides, in nanoseconds since 1970.
    public var deadline: Int64
    /// Bytes of its body as it is sent; nil where that is not held.
    public var bodyByteCount: Int?
    /// Who has claimed it; nil where it is free.
    public var claimedBy: String?

    /// The most bytes of a URL that are told.
    private static let urlByteCountMax = 8 << 10

    /// A hold.
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
