/// What happened in an exchange beside the coming of its messages: what was sent on, where that is
/// not what came, and what rules did.
public enum ExchangeEvent: Sendable, Hashable {
    /// A piece of the request's body as the server got it, after transfer-coding. The pieces make
    /// the body's beginning: as much as is kept of any.
    case sentRequestBody([UInt8])
    /// The response's head as the client got it, but for lines about framing and the connection;
    /// once.
    case sentResponseHead([UInt8])
    /// A piece of the response's body as the client got it, like that of the request's.
    case sentResponseBody([UInt8])
    /// A rule applied, or would have; each is kept, in this order.
    case appliedRule(AppliedRule)
    /// A rule gave the exchange a tag, beside those that people give. One it has already is not
    /// given again.
    case tagged(String)

    /// Whether it is a piece of a body.
    public var isBody: Bool {
        switch self {
        case .sentRequestBody, .sentResponseBody: true
        case .sentResponseHead, .appliedRule, .tagged: false
        }
    }

    /// Bytes it holds.
    public var byteCount: Int {
        switch self {
        case .sentRequestBody(let octets), .sentResponseHead(let octets),
            .sentResponseBody(let octets):
            octets.count
        case .appliedRule(let rule): rule.byteCount
        case .tagged(let tag): tag.utf8.count
        }
    }
}
