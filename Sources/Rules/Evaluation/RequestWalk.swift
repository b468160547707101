public import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request's evaluation by the rules, one after another.
struct RequestWalk {
    private let message: ForwardedRequest
    private let received: RuleSubject
    private let body: RuledBody
    private var editor: RequestEditor
    private var decision: RequestDecision
    /// How many rules, and actions of the current rule, have been evaluated.
    private var ruleCount = 0
    private var actionCount = 0
    private var outcomes: [RuleOutcome] = []

    init(_ message: ForwardedRequest, _ body: RuledBody, _ received: RuleSubject) {
        self.message = message
        self.received = received
        self.body = body
        editor = RequestEditor(message, body)
        decision = RequestDecision(message: message)
    }

    /// Whether a request has no body according to its framing.
    static func hasNoBody(_ message: ForwardedRequest) -> Bool {
        message.body == .none || message.body == .exactly(0)
    }

    /// Continues until a resource is needed or the decision is complete.
    mutating func advance(_ run: inout RuleRun) -> RequestStep {
        let candidates = run.candidates(in: .request)
        while decision.ending == nil, ruleCount < candidates.count {
            let rule = run.rules.rules[candidates[ruleCount]]
            if actionCount == 0, outcomes.isEmpty {
                switch judge(rule, candidates[ruleCount], &run) {
                case .wantsBody: return .wantsBody
                case .passedBy:
                    ruleCount += 1
                    continue
                case .matched: break
                }
            }
            if let step = act(rule, candidates[ruleCount]) { return step }
            finish(rule)
            if rule.stops { break }
        }
        return .decided(finished())
    }

    private mutating func judge(
        _ rule: Rule, _ position: Int, _ run: inout RuleRun
    ) -> RuleRun.Judgement {
        let subject =
            rule.view == .received ? received : RuleSubject(run.connection, editor.message, body)
        let needsBody =
            body.isComing
            && rule.actions(in: .request).contains { $0.needsBody(holds: run.isHoldingPossible) }
        return run.judge(
            position, in: .request, subject, body, needsBody: needsBody, &decision.notes)
    }

    /// Applies the actions of a rule; stops at an action that needs a file or a capture.
    private mutating func act(_ rule: Rule, _ position: Int) -> RequestStep? {
        let actions = rule.actions(in: .request)
        while decision.ending == nil, actionCount < actions.count {
            let action = actions[actionCount]
            if case .serve(let files) = action.verb { return .serve(files) }
            if case .mock(let mock) = action.verb {
                let place = MockPosition(rule: position, action: actionCount)
                let seen = rule.view == .received ? message : editor.message
                return .mock(MockCall(mock, at: place, seen, body))
            }
            actionCount += 1
            if action.isSecret { decision.notes.hasSecret = true }
            outcomes.append(apply(action.verb, of: rule))
        }
        return nil
    }

    private mutating func apply(_ verb: RuleVerb, of rule: Rule) -> RuleOutcome {
        switch verb {
        case .edit(let edit): return editor.apply(edit)
        case .preset(let preset): return editor.apply(preset)
        case .sendTo(let mapping): return editor.send(to: mapping)
        case .respond(let answer):
            decision.ending = .answer(answer)
            return .answered("status \(answer.status)")
        case .block(let block):
            decision.ending = .block(block)
            return .blocked(block.text)
        case .throttle(let network) where network.profile.isOffline:
            // No connection is made, and a proxy reports that to its client with a 502 response.
            decision.ending = .block(.status(502))
            return decision.notes.apply(verb, of: rule) ?? .unchanged
        case .hold(let hold):
            if decision.hold == nil { decision.hold = HoldPoint(rule: rule.name, hold: hold) }
            return .held
        case .run(let call):
            decision.scripts.append(ScriptPoint(rule: rule.name, call: call))
            return .asked
        case .delay, .throttle, .tag, .serve, .mock, .resolve, .via, .clientCertificate:
            return decision.notes.apply(verb, of: rule) ?? .unchanged
        }
    }

    mutating func resume(_ answer: RuleAnswer?, in run: RuleRun) {
        guard let answer else { return proceed(.notDone("no such file, forwarded")) }
        end(.answer(answer), .answered("status \(answer.status)"), in: run)
    }

    mutating func resume(_ served: MockServed, in run: RuleRun) {
        switch served {
        case .answer(let answer, let note): end(.answer(answer), .answered(note), in: run)
        case .closed(let note): end(.block(.close), .blocked(note), in: run)
        case .forwarded(let reason): proceed(.notDone(reason))
        }
    }

    /// Continues after the action that needed a resource.
    private mutating func proceed(_ outcome: RuleOutcome) {
        actionCount += 1
        outcomes.append(outcome)
    }

    /// Ends the request with the action that needed a resource.
    private mutating func end(
        _ ending: RequestDecision.Ending, _ outcome: RuleOutcome, in run: RuleRun
    ) {
        proceed(outcome)
        decision.ending = ending
        let candidates = run.candidates(in: .request)
        guard candidates.indices.contains(ruleCount) else { return }
        finish(run.rules.rules[candidates[ruleCount]])
    }

    private mutating func finish(_ rule: Rule) {
        decision.notes.note(rule, .request, outcomes)
        outcomes = []
        actionCount = 0
        ruleCount += 1
    }

    private func finished() -> RequestDecision {
        var decision = decision
        let edited = editor.finish()
        decision.message = edited.message
        decision.message.options.isSecret = decision.notes.hasSecret
        decision.body = edited.body
        return decision
    }
}

/// A response's evaluation by the rules, one after another.
struct ResponseWalk {
    private let received: RuleSubject
    private let body: RuledBody
    private var editor: ResponseEditor
    private var decision: ResponseDecision

    init(
        _ message: ForwardedResponse, _ method: HTTPMethod, _ body: RuledBody,
        _ received: RuleSubject
    ) {
        self.received = received
        self.body = body
        editor = ResponseEditor(message, to: method, body)
        decision = ResponseDecision(message: message)
    }

    /// What the head alone says about a body: that there is none, or that it may never end.
    static func knownBody(
        _ message: ForwardedResponse, to method: HTTPMethod, _ body: RuledBody
    ) -> RuledBody {
        if message.head.isBodiless(to: method) { return .whole([]) }
        return body.isComing && message.head.fields.isEndless ? .endless : body
    }

    mutating func advance(_ run: inout RuleRun, requestAsChanged: RuleSubject) -> ResponseStep {
        for position in run.candidates(in: .response) {
            let rule = run.rules.rules[position]
            let subject =
                rule.view == .received
                ? received : RuleSubject(requestAsChanged, editor.message, editor.body)
            let actions = rule.actions(in: .response)
            let needsBody =
                editor.body.isComing
                && actions.contains {
                    $0.needsBody(holds: run.isHoldingPossible) && editor.canDo($0)
                }
            switch run.judge(
                position, in: .response, subject, body, needsBody: needsBody, &decision.notes)
            {
            case .wantsBody: return .wantsBody
            case .passedBy: continue
            case .matched: break
            }
            decision.notes.note(rule, .response, actions.map { apply($0, of: rule) })
            if rule.stops || decision.block != nil { break }
        }
        let edited = editor.finish()
        decision.message = edited.message
        decision.message.options.isSecret = decision.notes.hasSecret
        decision.body = edited.body
        decision.lines = editor.lines
        return .decided(decision)
    }

    private mutating func apply(_ action: RuleAction, of rule: Rule) -> RuleOutcome {
        guard decision.block == nil else { return .unchanged }
        if action.isSecret { decision.notes.hasSecret = true }
        switch action.verb {
        case .edit(let edit): return editor.apply(edit, of: rule.name)
        case .preset(let preset): return editor.apply(preset)
        case .respond(let answer):
            decision.isAnswer = true
            editor.replace(with: answer)
            return .answered("status \(answer.status)")
        case .block(let block):
            decision.block = block
            return .blocked(block.text)
        case .hold(let hold):
            if decision.hold == nil { decision.hold = HoldPoint(rule: rule.name, hold: hold) }
            return .held
        case .run(let call):
            decision.scripts.append(ScriptPoint(rule: rule.name, call: call))
            return .asked
        case .delay, .throttle, .tag, .serve, .mock, .sendTo, .resolve, .via,
            .clientCertificate:
            return decision.notes.apply(action.verb, of: rule) ?? .unchanged
        }
    }
}

/// The outcome of one action.
enum RuleOutcome: Equatable {
    /// The exchange was ended by the rule; recorded as `blocked`.
    case blocked(String)
    case answered(String)
    /// The message was changed, in this part.
    case changed(String)
    /// The message is slowed down to the speed of this network.
    case throttled(String)
    case delayed(String)
    /// The message will be held; the outcome is recorded when the hold ends.
    case held
    /// A script will be run; the outcome is recorded when it has answered.
    case asked
    /// The body is edited while it streams; the outcome is recorded when it has ended.
    case flowing
    case tagged
    case unchanged
    /// Nothing was done, for this reason.
    case notDone(String)

    var word: String {
        switch self {
        case .blocked: "blocked"
        case .answered: "answered"
        case .changed: "changed"
        case .throttled: "throttled"
        case .delayed: "delayed"
        case .held: "held"
        case .asked, .flowing: "undecided"
        case .tagged: "tagged"
        case .unchanged: "unchanged"
        case .notDone(let reason): reason
        }
    }

    var detail: String? {
        switch self {
        case .blocked(let text), .answered(let text), .changed(let text), .throttled(let text),
            .delayed(let text):
            text
        case .held, .asked, .flowing, .tagged, .unchanged, .notDone: nil
        }
    }

    /// The outcome with the highest weight is recorded for a rule with several actions.
    private var weight: Int {
        switch self {
        case .blocked: 7
        case .answered: 6
        case .changed: 5
        case .notDone: 4
        case .throttled: 3
        case .delayed: 2
        case .tagged: 1
        case .held, .asked, .flowing, .unchanged: 0
        }
    }

    /// Whether its outcome is recorded later, separately.
    var isNotedLater: Bool {
        switch self {
        case .held, .asked, .flowing: true
        default: false
        }
    }

    /// Summarizes the outcomes of a rule's actions: the word of the weightiest, and all details.
    static func summary(of outcomes: [RuleOutcome]) -> (word: String, detail: String?) {
        let weightiest = outcomes.max { $0.weight < $1.weight } ?? .unchanged
        var details = outcomes.compactMap(\.detail)
        for outcome in outcomes where outcome.weight < weightiest.weight {
            guard case .notDone(let reason) = outcome, !details.contains(reason) else { continue }
            details.append(reason)
        }
        return (weightiest.word, details.isEmpty ? nil : details.joined(separator: ", "))
    }
}

/// What the rules of one phase did, apart from changing the message.
public struct PhaseNotes: Sendable {
    /// What each matching rule did, in order.
    public internal(set) var applied: [AppliedRule] = []
    public internal(set) var tags: [String] = []
    /// How long the message waits; the delays add up.
    public internal(set) var delays: [RuleDelay] = []
    /// The throttle of the message and the rule that set it; the last one wins.
    public internal(set) var throttle: (rule: String, RuleThrottle)?
    /// Whether a secret value was inserted, which must not appear in the store or the log.
    var hasSecret = false

    /// Records what a rule did. The outcomes of holding a message, of running a script, and of
    /// editing a streaming body are recorded later.
    mutating func note(_ rule: Rule, _ phase: RulePhase, _ outcomes: [RuleOutcome]) {
        let settled = outcomes.filter { !$0.isNotedLater }
        if settled.isEmpty, !outcomes.isEmpty { return }
        let outcomes = settled
        let (word, detail) = RuleOutcome.summary(of: outcomes)
        applied.append(AppliedRule(rule: rule.name, phase: phase, outcome: word, detail: detail))
    }

    mutating func note(
        _ point: HoldPoint, _ phase: RulePhase, _ end: HoldEnd, at time: AppliedRule.Hold?
    ) {
        applied.append(point.applied(in: phase, end, at: time))
    }

    mutating func note(_ point: HoldPoint, _ phase: RulePhase, _ problem: NotHeld) {
        applied.append(AppliedRule(rule: point.rule, phase: phase, outcome: problem.outcome))
    }

    /// Applies a verb that is the same in all phases; returns nil for any other verb.
    mutating func apply(_ verb: RuleVerb, of rule: Rule) -> RuleOutcome? {
        switch verb {
        case .delay(let delay):
            delays.append(delay)
            return .delayed("\(delay.milliseconds) ms")
        case .throttle(let network):
            throttle = (rule.name, network)
            return .throttled(network.name)
        case .tag(let text):
            tags.append(text)
            return .tagged
        default: return nil
        }
    }
}

/// The effect of a rule, for statistics.
public enum RuleEffect: Sendable, Hashable {
    /// It changed, delayed, answered or ended something.
    case changed
    /// It could not do what it says.
    case failed
    /// It matched and left everything as it was.
    case nothing

    private static let changing: Set<String> = [
        "blocked", "answered", "changed", "throttled", "delayed", "held", "routed",
    ]

    /// Derives the effect from a recorded outcome.
    public init(_ applied: AppliedRule) {
        switch applied.outcome {
        case let word where RuleEffect.changing.contains(word): self = .changed
        case RuleOutcome.unchanged.word, RuleOutcome.tagged.word: self = .nothing
        default: self = .failed
        }
    }
}
