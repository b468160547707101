internal import ProxydContentCoding
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydHTTPWire

/// A message that is held, as rules left it.
public struct HeldMessage: Sendable {
    /// Which side of an exchange it is.
    public enum Content: Sendable {
        /// A request, before any server is asked.
        case request(ForwardedRequest, RuledBody)
        /// A response to a request, before the client has anything of it.
        case response(ForwardedResponse, RuledBody, to: ForwardedRequest)
    }

    /// The exchange it belongs to.
    public let exchange: ExchangeID
    /// The message itself.
    public let content: Content
    private let point: HoldPoint
    private let connection: RuledConnection

    /// The same message with other content; the same where that is nil.
    func with(_ content: Content?) -> HeldMessage {
        HeldMessage(content ?? self.content, of: exchange, by: point, over: connection)
    }

    /// A message that a rule holds.
    init(
        _ content: Content, of exchange: ExchangeID, by point: HoldPoint,
        over connection: RuledConnection
    ) {
        self.content = content
        self.exchange = exchange
        self.point = point
        self.connection = connection
    }

    /// The rule that holds it.
    public var rule: String { point.rule }
    /// How long, and what then.
    public var hold: RuleHold { point.hold }

    /// When it is held.
    public var phase: RulePhase {
        switch content {
        case .request: .request
        case .response: .response
        }
    }

    /// The request's method and URL.
    public var request: (method: String, url: String) {
        switch content {
        case .request(let request, _), .response(_, _, let request):
            (request.head.method.rawValue, request.url.description)
        }
    }

    /// The response's status; nil for a request.
    public var status: Int? {
        if case .response(let response, _, _) = content { response.head.status } else { nil }
    }

    /// Whether a filter is sure to select it.
    public func matches(_ filter: Filter) -> Bool {
        let subject: RuleSubject
        switch content {
        case .request(let request, let body): subject = RuleSubject(connection, request, body)
        case .response(let response, let body, let request):
            let asked = RuleSubject(connection, request, .coming)
            subject = RuleSubject(asked, response, body)
        }
        return filter.decision(subject) == .passes
    }

    /// What is recorded of it where its client has left.
    public var leftByClient: AppliedRule {
        point.applied(in: phase, HoldEnd(fate: .clientGone, cause: .decision))
    }

    /// Bytes of its body as it is sent; nil where that is not held.
    public var bodyByteCount: Int? { body.octets?.count }

    var body: RuledBody {
        switch content {
        case .request(_, let body), .response(_, let body, _): body
        }
    }

    private var fields: HeaderFields {
        switch content {
        case .request(let request, _): request.head.fields
        case .response(let response, _, _): response.head.fields
        }
    }

    // MARK: For an editor

    /// The head as text, as HTTP/1.1 writes one: a request's line has the whole URL.
    public var headText: [UInt8] {
        switch content {
        case .request(let request, _): HeldHead.text(of: request)
        case .response(let response, _, _): HeldHead.text(of: response)
        }
    }

    /// The body, its content codings undone where they can be; nil where it is not held, because
    /// it is too large or may never end.
    public var bodyContent: [UInt8]? {
        guard let octets = body.octets else { return nil }
        let decoded = BodyEditor.decoded(octets, fields)
        return decoded.failure == nil ? decoded.octets : octets
    }
}
