public import ProxydHTTPModel

/// A response that a rule gives itself.
public struct RuleAnswer: Sendable, Hashable {
    /// The status, from 200 to 599.
    public var status: Int
    /// The field lines in their order; those about framing are made when it is sent.
    public var fields: HeaderFields
    /// The content.
    public var body: [UInt8]
    /// What the status line says; nil for what the status stands for.
    public var reason: String?
    /// The field lines behind the content, which goes in chunks then; nil for neither.
    public var trailers: HeaderFields?

    /// An answer.
    public init(status: Int, fields: HeaderFields = HeaderFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Its head; without a reason of its own, with the one that the status has (RFC 9110 §15).
    public var head: ResponseHead {
        ResponseHead(
            status: status, reason: reason ?? StatusReason.text(of: status), fields: fields)
    }
}
