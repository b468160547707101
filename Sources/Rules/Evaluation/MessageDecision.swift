public import ProxydHTTPModel
public import ProxydHTTPWire

/// What the rules decided about a message, whichever side it is from.
package protocol MessageDecision: Sendable {
    associatedtype Message
    static var phase: RulePhase { get }
    var message: Message { get }
    /// Its new body; nil if it is forwarded as it came.
    var body: [UInt8]? { get }
    /// The scripts to run before it is forwarded, in order.
    var scripts: [ScriptPoint] { get set }
    /// The hold before it is forwarded; nil if it is not held.
    var hold: HoldPoint? { get }
    /// The other effects of the rules.
    var notes: PhaseNotes { get set }
    /// Whether rules have ended the exchange or answered the request, so that no script is asked
    /// any more, and nothing is held.
    var isEnded: Bool { get }

    /// The message as people and scripts see it.
    /// - Parameters:
    ///   - body: What is known about its body.
    ///   - request: The request as it came.
    func content(_ body: RuledBody, to request: ForwardedRequest) -> HeldMessage.Content
    /// Replaces the message with its edited form: rules that examine a changed request see it.
    mutating func take(_ content: HeldMessage.Content, in run: inout RuleRun)
    mutating func answer(with answer: RuleAnswer)
    mutating func block(_ block: RuleBlock)
}

extension MessageDecision {
    package var sendsBody: Bool { scripts.contains { $0.call.sendsBody } }

    /// Records how the hold ended, and when the message was held, on the monotonic clock.
    package mutating func note(_ end: HoldEnd, at time: AppliedRule.Hold? = nil) {
        if let hold { notes.note(hold, Self.phase, end, at: time) }
    }

    /// Records why the message was not held.
    package mutating func note(_ problem: NotHeld) {
        if let hold { notes.note(hold, Self.phase, problem) }
    }
}

extension RuleRun {
    /// Returns the next question to a script about a message, or nil if there is none left.
    package func nextQuestion<Decided: MessageDecision>(
        _ decision: inout Decided, body: RuledBody, to request: ForwardedRequest,
        of exchange: ExchangeID
    ) -> ScriptQuestion? {
        guard !decision.isEnded else {
            noteUnasked(&decision)
            return nil
        }
        guard !decision.scripts.isEmpty else { return nil }
        return ScriptQuestion(
            point: decision.scripts.removeFirst(), exchange: exchange,
            content: decision.content(decision.body.map(RuledBody.whole) ?? body, to: request))
    }

    /// Records that the scripts of a request are not asked, because a rule has answered.
    private func noteUnasked<Decided: MessageDecision>(_ decision: inout Decided) {
        guard Decided.phase == .request else { return }
        for point in decision.scripts { decision.notes.noteUnasked(point, .request) }
        decision.scripts = []
    }

    /// Applies a script's answer about a message, and records it.
    package mutating func settle<Decided: MessageDecision>(
        _ decision: inout Decided, _ question: ScriptQuestion, _ end: ScriptEnd
    ) {
        decision.notes.note(question.point, Decided.phase, end)
        switch end {
        case .unchanged: break
        case .changed(let content, _): decision.take(content, in: &self)
        case .answered(let answer): decision.answer(with: answer)
        case .failed where question.point.call.otherwise == .fail: decision.block(.status(502))
        case .failed: break
        }
    }

    /// Returns the message that a rule holds, or nil if none does.
    package func held<Decided: MessageDecision>(
        _ decision: Decided, body: RuledBody, to request: ForwardedRequest, of exchange: ExchangeID
    ) -> HeldMessage? {
        guard !decision.isEnded, let point = decision.hold else { return nil }
        return HeldMessage(
            decision.content(decision.body.map(RuledBody.whole) ?? body, to: request),
            of: exchange, by: point, over: connection)
    }
}

/// What the rules decided about a connection.
public struct ConnectDecision: Sendable {
    /// The address to connect to instead of those that the name resolves to; nil for those.
    public package(set) var address: String?
    /// The upstream proxy to connect through; nil for the configured one.
    public package(set) var upstream: RuleUpstream?
    /// The name of the certificate to show to the server; nil for the configured one.
    public package(set) var clientCertificate: String?
    /// How the connection is refused; nil if it is made.
    public package(set) var block: RuleBlock?
    /// The other effects of the rules.
    public package(set) var notes = PhaseNotes()
}

/// What the rules decided about a request.
public struct RequestDecision: MessageDecision {
    /// What happens instead of forwarding the request.
    public enum Ending: Sendable {
        /// The client gets this answer, to which response rules apply.
        case answer(RuleAnswer)
        /// The client gets an error status, or no answer.
        case block(RuleBlock)
    }

    public package(set) var message: ForwardedRequest
    public package(set) var body: [UInt8]?
    /// What happens instead; nil if the request is forwarded.
    public package(set) var ending: Ending?
    public package(set) var scripts: [ScriptPoint] = []
    public package(set) var hold: HoldPoint?
    public package(set) var notes = PhaseNotes()

    package static var phase: RulePhase { .request }

    package var isEnded: Bool { ending != nil }

    package func content(_ body: RuledBody, to request: ForwardedRequest) -> HeldMessage.Content {
        .request(message, body)
    }

    package mutating func take(_ content: HeldMessage.Content, in run: inout RuleRun) {
        guard case .request(let message, let body) = content else { return }
        self.message = message
        self.body = body.bytes
        run.keepRequest(self)
    }

    package mutating func answer(with answer: RuleAnswer) { ending = .answer(answer) }

    package mutating func block(_ block: RuleBlock) { ending = .block(block) }
}

/// What is needed before a request can be decided.
public enum RequestStep: Sendable {
    /// The whole body; the request is evaluated again once it is complete.
    case wantsBody
    /// The answer from a file; pass it to `RuleRun.resume`.
    case serve(FileMapping)
    /// The answer from captures; pass it to `RuleRun.resume`.
    case mock(MockCall)
    case decided(RequestDecision)
}

/// What the rules decided about a response.
public struct ResponseDecision: MessageDecision {
    public package(set) var message: ForwardedResponse
    public package(set) var body: [UInt8]?
    /// Edits its body line by line while it streams; nil if nothing does.
    public package(set) var lines: LineEditor?
    /// How the exchange ends instead; nil if the response is forwarded.
    public package(set) var block: RuleBlock?
    /// Whether a rule gave the response.
    public package(set) var isAnswer = false
    public package(set) var scripts: [ScriptPoint] = []
    public package(set) var hold: HoldPoint?
    public package(set) var notes = PhaseNotes()

    package static var phase: RulePhase { .response }

    package var isEnded: Bool { block != nil }

    package func content(_ body: RuledBody, to request: ForwardedRequest) -> HeldMessage.Content {
        .response(message, body, to: request)
    }

    package mutating func take(_ content: HeldMessage.Content, in run: inout RuleRun) {
        guard case .response(let message, let body, _) = content else { return }
        self.message = message
        self.body = body.bytes
    }

    package mutating func answer(with answer: RuleAnswer) {
        isAnswer = true
        message.head = answer.head
        message.body = .exactly(UInt64(answer.body.count))
        body = answer.body
    }

    package mutating func block(_ block: RuleBlock) { self.block = block }
}

/// What is needed before a response can be decided.
public enum ResponseStep: Sendable {
    /// The whole body; the response is evaluated again once it is complete.
    case wantsBody
    case decided(ResponseDecision)
}
