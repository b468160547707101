internal import ProxydContentCoding
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydHTTPWire

/// A message that is held, in the form in which the rules left it.
public struct HeldMessage: Sendable {
    public enum Content: Sendable {
        /// A request, before it is sent to a server.
        case request(ForwardedRequest, RuledBody)
        /// A response, before any of it is sent to the client.
        case response(ForwardedResponse, RuledBody, to: ForwardedRequest)
    }

    public let exchange: ExchangeID
    public let content: Content
    private let point: HoldPoint
    private let connection: RuledConnection

    /// Returns the message with other content; nil keeps the content.
    func with(_ content: Content?) -> HeldMessage {
        HeldMessage(content ?? self.content, of: exchange, by: point, over: connection)
    }

    init(
        _ content: Content, of exchange: ExchangeID, by point: HoldPoint,
        over connection: RuledConnection
    ) {
        self.content = content
        self.exchange = exchange
        self.point = point
        self.connection = connection
    }

    public var rule: String { point.rule }
    public var hold: RuleHold { point.hold }

    public var phase: RulePhase {
        switch content {
        case .request: .request
        case .response: .response
        }
    }

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
        case .request(let request, _): HeldHeadText.text(of: request)
        case .response(let response, _, _): HeldHeadText.text(of: response)
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

/// The rule that holds a message, and how.
public struct HoldPoint: Sendable {
    public let rule: String
    public let hold: RuleHold

    /// The outcome to record for a message that was held.
    /// - Parameters:
    ///   - end: How the hold ended; nil if that is unknown, as in a trial.
    ///   - time: When the message was held, on the monotonic clock.
    func applied(
        in phase: RulePhase, _ end: HoldEnd? = nil, at time: AppliedRule.Hold? = nil
    ) -> AppliedRule {
        AppliedRule(rule: rule, phase: phase, outcome: "held", detail: end?.detail, hold: time)
    }
}

/// How a hold ended.
public struct HoldEnd: Sendable {
    public enum Fate: Sendable {
        case unchanged
        case changed(HeldMessage.Content)
        /// The client gets this answer.
        case answered(RuleAnswer)
        /// The client's connection ends without an answer.
        case dropped
        case clientGone
    }

    public enum Cause: Sendable, Hashable {
        case decision
        case timeout
        /// The last interface that handles holds has disconnected.
        case noOneLeft
        /// Its rule no longer holds messages: it was disabled, changed or removed.
        case ruleGone
        case shutdown
    }

    public let fate: Fate
    public let cause: Cause

    /// The text that is recorded after the word `held`.
    public var detail: String {
        switch cause {
        case .ruleGone: return "released"
        case .shutdown: return "released at shutdown"
        case .decision, .timeout, .noOneLeft: break
        }
        let word =
            switch fate {
            case .unchanged: "unchanged"
            case .changed: "changed"
            case .answered: "answered"
            case .dropped: "dropped"
            case .clientGone: "client gone"
            }
        switch cause {
        case .timeout: return "timed out, \(word)"
        case .noOneLeft: return "no one left to ask, \(word)"
        case .decision, .ruleGone, .shutdown: return word
        }
    }

    /// The reason given to clients that decide too late.
    var reasonToRefuse: String {
        switch (fate, cause) {
        case (.clientGone, _): "the client is gone"
        case (_, .timeout): "it timed out"
        case (_, .noOneLeft): "the last interface had left"
        case (_, .ruleGone): "its rule no longer holds messages"
        case (_, .shutdown): "the proxy is stopping"
        case (_, .decision): "it was already decided"
        }
    }
}

/// Why a message is not held although a rule asks for it.
public enum NotHeld: Error, Sendable, Hashable {
    /// No interface that handles holds is connected.
    case noOneToAsk
    /// A rule answered the request, so it is not forwarded.
    case answered
    case tooMany
    case tooMuch
    /// Its rule was removed, or switched off, after the exchange had begun.
    case ruleGone

    /// The text that is recorded.
    public var outcome: String {
        switch self {
        case .noOneToAsk: "not held: no one to ask"
        case .answered: "not held: a rule answered"
        case .tooMany: "not held: too many"
        case .tooMuch: "not held: too many bytes"
        case .ruleGone: "not held: the rule is gone"
        }
    }
}

/// Why a request about a hold is refused.
public enum HoldRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A hold with this number never existed.
    case unknown
    /// The hold has ended, for this reason.
    case gone(String)
    /// Another client has claimed it, with this name.
    case taken(by: String)
    /// Its body cannot be read or changed, because it is too large or may never end.
    case bodyNotHeld
    /// A piece does not continue the text written before.
    case notInSequence
    case tooLarge
    /// The texts written for all held messages are too large together.
    case tooMuch
    /// The edit does not result in a valid message, for this reason.
    case badEdit(String)

    public var description: String {
        switch self {
        case .unknown: "there is no such hold"
        case .gone(let reason): "it is not held any more: \(reason)"
        case .taken(let name): "it is taken by \(name)"
        case .bodyNotHeld: "its body is not held because it is too large or may never end"
        case .notInSequence: "the new data does not continue the data written before"
        case .tooLarge: "it is larger than allowed"
        case .tooMuch: "too much data is being written for held messages"
        case .badEdit(let reason): reason
        }
    }
}

extension ForwardedResponse {
    /// Whether its body may never end, so that it is not collected.
    public var mayNeverEnd: Bool { head.fields.isEndless }
}
