/// What clients of the daemon know of a held message; the names of its members are those in the
/// protocol of the control socket.
public struct HoldSummary: Sendable, Hashable, Codable {
    public var hold: Int64
    public var exchangeID: Int64
    /// `request` or `response`.
    public var phase: String
    public var rule: String
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

    public init(
        hold: Int64, exchangeID: Int64, phase: String, rule: String, method: String, url: String,
        status: Int? = nil, since: Int64, deadline: Int64, bodyByteCount: Int? = nil,
        claimedBy: String? = nil
    ) {
        self.hold = hold
        self.exchangeID = exchangeID
        self.phase = phase
        self.rule = rule
        self.method = method
        self.url = String(decoding: url.utf8.prefix(HoldSummary.urlByteCountMax), as: UTF8.self)
        self.status = status
        self.since = since
        self.deadline = deadline
        self.bodyByteCount = bodyByteCount
        self.claimedBy = claimedBy
    }

    public var isRequest: Bool { phase == "request" }
}
