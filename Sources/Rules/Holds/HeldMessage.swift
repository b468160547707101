internal import ProxydContentCoding
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydHTTPWire

/// A message that is held, in the form in which the rules left it.
public struct HeldMessage: Sendable {
    /// The kind of the message.
    public enum Content: Sendable {
        /// A request, before it is sent to a server.
        case request(ForwardedRequest, RuledBody)
        /// A response, before any of it is sent to the client.
        case response(ForwardedResponse, RuledBody, to: ForwardedRequest)
    }

    /// The exchange that it belongs to.
    public let exchange: ExchangeID
    /// The message itself.
    public let content: Content
    private let point: HoldPoint
    private let connection: RuledConnection

    /// Returns the message with other content; nil keeps the content.
    func with(_ content: Content?) -> HeldMessage {
        HeldMessage(content ?? self.content, of: exchange, by: point, over: connection)
    }

    /// Creates a message that a rule holds.
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
    /// How long the message is held, and what happens then.
    public var hold: RuleHold { point.hold }

    /// The phase in which it is held.
    public var phase: RulePhase {
        switch content {
        case .request: .request
        case .response: .response
        }
    }

    /// The method and URL of the request.
    public var request: (method: String, url: String) {
        switch content {
        case .request(let request, _), .response(_, _, let request):
            (request.head.method.rawValue, request.url.description)
        }
    }

    /// The status of the response; nil for a request.
    public var status: Int? {
        if case .response(let response, _, _) = content { response.head.status } else { nil }
    }

    /// Whether a filter certainly selects the message.
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

    /// The outcome to record if the client has left.
    /// - Parameter time: When the message was held, on the monotonic clock.
    public func leftByClient(_ time: AppliedRule.Hold) -> AppliedRule {
        point.applied(in: phase, HoldEnd(fate: .clientGone, cause: .decision), at: time)
    }

    /// The size of its body as it is sent, in bytes; nil if the body is not held.
    public var bodyByteCount: Int? { body.bytes?.count }

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

    // MARK: For editors

    /// The head as text in HTTP/1.1 syntax; a request line has the full URL.
    public var headText: [UInt8] {
        switch content {
        case .request(let request, _): HeldHead.text(of: request)
        case .response(let response, _, _): HeldHead.text(of: response)
        }
    }

    /// The body with its content codings removed if possible; nil if it is not held, because it is
    /// too large or may never end.
    public var bodyContent: [UInt8]? {
        readable?.bytes
    }

    /// The body for editors, and the codings that were removed from it.
    var readable: DecodedContent? {
        guard let bytes = body.bytes else { return nil }
        let decoded = BodyEditor.decoded(bytes, fields)
        return decoded.failure == nil ? decoded : DecodedContent(bytes: bytes)
    }
}
