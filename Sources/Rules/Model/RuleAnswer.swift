public import ProxydHTTPModel

/// A response that a rule gives.
public struct RuleAnswer: Sendable, Hashable {
    /// The status, from 200 to 599.
    public var status: Int
    /// The header fields in their order; framing fields are generated when it is sent.
    public var fields: HeaderFields
    /// The response content.
    public var body: [UInt8]
    /// The reason phrase; nil for the default one of the status.
    public var reason: String?
    /// The trailer fields, which make the content chunked; nil for no trailers and no chunks.
    public var trailers: HeaderFields?

    /// Creates an answer.
    public init(status: Int, fields: HeaderFields = HeaderFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The response head; without its own reason phrase, it gets the default one (RFC 9110 §15).
    public var head: ResponseHead {
        ResponseHead(
            status: status, reason: reason ?? StatusReason.text(of: status), fields: fields)
    }
}
