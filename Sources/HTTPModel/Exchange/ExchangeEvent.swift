/// An event of an exchange other than the arrival of its messages: something was sent in another
/// form than it arrived, or a rule acted.
public enum ExchangeEvent: Sendable, Hashable {
    /// A piece of the request body as it was sent to the server, without transfer coding. The
    /// pieces make up the beginning of the body, up to the limit for stored bodies.
    case sentRequestBody([UInt8])
    /// The response head as it was sent to the client, without framing and connection fields; at
    /// most once.
    case sentResponseHead([UInt8])
    /// A piece of the response body as it was sent to the client, like that of the request.
    case sentResponseBody([UInt8])
    /// The client received nothing of the response that the server sent.
    case responseWithheld
    /// A rule acted, or would have; all of these events are kept, in order.
    case appliedRule(AppliedRule)
    /// A rule added a tag, in addition to those of users. A tag that the exchange already has is
    /// not added again.
    case tagged(String)

    /// Whether the event is a piece of a body.
    public var isBody: Bool {
        switch self {
        case .sentRequestBody, .sentResponseBody: true
        case .sentResponseHead, .responseWithheld, .appliedRule, .tagged: false
        }
    }

    /// The size of its contents in bytes.
    public var byteCount: Int {
        switch self {
        case .sentRequestBody(let bytes), .sentResponseHead(let bytes),
            .sentResponseBody(let bytes):
            bytes.count
        case .responseWithheld: 0
        case .appliedRule(let rule): rule.byteCount
        case .tagged(let tag): tag.utf8.count
        }
    }
}
