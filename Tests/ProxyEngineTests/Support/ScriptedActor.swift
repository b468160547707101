import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTransport

@testable import ProxydProxyEngine

/// Acts on traffic as a test says: phases that it holds wait until the test decides, the others
/// pass. Proof of Sendable: a playbook has one loop, and everything here is used on it.
final class ScriptedActor: TrafficActor, @unchecked Sendable {
    enum Phase: Hashable {
        case connect, requestHead, requestBody, responseHead, responseBody
    }

    let held: Set<Phase>
    /// Whether bodies are wanted whole, and how large.
    let wholeByteCountMax: Int?
    let pace: ScriptedPace?
    /// The pace of connections; as a rule that of exchanges.
    private let connectPace: ScriptedPace?
    /// What changes responses' bodies on their way; nil for nothing.
    private let editor: (any StreamingBodyEditor)?
    /// The pace that the last exchange was told of.
    private(set) var paceOfExchange: (any PaceActor)?
    /// What each request is answered with immediately; nil for nothing.
    let answer: ExchangeAnswer?

    private(set) var asked: [Phase] = []
    private(set) var connections: [(RequestedConnection, Decision<ConnectVerdict>)] = []
    private(set) var requestHeads: [(ForwardedRequest, RequestDecision)] = []
    private(set) var requestBodies: [([UInt8]?, ForwardedRequest, RequestDecision)] = []
    private(set) var responseHeads: [(ForwardedResponse, ResponseDecision)] = []
    private(set) var responseBodies: [([UInt8]?, ForwardedResponse, ResponseDecision)] = []
    fileprivate(set) var endedCount = 0
    private(set) var isDraining = false

    typealias RequestDecision = Decision<MessageVerdict<ForwardedRequest>>
    typealias ResponseDecision = Decision<MessageVerdict<ForwardedResponse>>

    init(
        _ held: Set<Phase> = [], wholeByteCountMax: Int? = nil, pace: ScriptedPace? = nil,
        connectPace: ScriptedPace? = nil, editor: (any StreamingBodyEditor)? = nil,
        answer: ExchangeAnswer? = nil
    ) {
        self.editor = editor
        self.connectPace = connectPace ?? pace
        self.answer = answer
        self.held = held
        self.wholeByteCountMax = wholeByteCountMax
        self.pace = pace
    }

    func connect(_ connection: RequestedConnection, _ decision: Decision<ConnectVerdict>) {
        asked.append(.connect)
        connections.append((connection, decision))
        if !held.contains(.connect) { decision.make(.pass(pace: connectPace)) }
    }

    func actor(
        for exchange: ExchangeContext, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? {
        paceOfExchange = exchange.pace
        return ScriptedExchangeActor(self)
    }

    func drain() { isDraining = true }

    fileprivate var plan: BodyPlan {
        wholeByteCountMax.map { .whole(byteCountMax: $0) } ?? .stream
    }

    fileprivate func take(
        _ request: ForwardedRequest, _ body: BodySnapshot, _ decision: RequestDecision
    ) {
        guard case .coming = body else {
            asked.append(.requestBody)
            requestBodies.append((body.bytes, request, decision))
            if !held.contains(.requestBody) { decision.make(.pass(request)) }
            return
        }
        asked.append(.requestHead)
        requestHeads.append((request, decision))
        if let answer { return decision.make(.answer(answer)) }
        if !held.contains(.requestHead) { decision.make(.pass(request, plan)) }
    }

    fileprivate func take(
        _ response: ForwardedResponse, _ body: BodySnapshot, _ decision: ResponseDecision
    ) {
        guard case .coming = body else {
            asked.append(.responseBody)
            responseBodies.append((body.bytes, response, decision))
            if !held.contains(.responseBody) { decision.make(.pass(response)) }
            return
        }
        asked.append(.responseHead)
        responseHeads.append((response, decision))
        guard !held.contains(.responseHead) else { return }
        guard let editor else { return decision.make(.pass(response, plan)) }
        var response = response
        response.body = .chunked
        decision.make(.pass(response, .edited(editor)))
    }
}

extension BodySnapshot {
    /// The whole body; nil if it is too large.
    fileprivate var bytes: [UInt8]? { if case .whole(let bytes) = self { bytes } else { nil } }
}

/// One exchange of it.
private final class ScriptedExchangeActor: ExchangeActor {
    private let script: ScriptedActor

    init(_ script: ScriptedActor) { self.script = script }

    func request(
        _ request: ForwardedRequest, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        script.take(request, body, decision)
    }

    func response(
        _ response: ForwardedResponse, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedResponse>>
    ) {
        script.take(response, body, decision)
    }

    var pace: (any PaceActor)? { script.pace }

    func exchangeEnded() { script.endedCount += 1 }
}

/// Holds bytes until the test lets them go, or releases a number of them. Proof of Sendable: as for
/// `ScriptedActor`.
final class ScriptedPace: PaceActor, @unchecked Sendable {
    private(set) var waiting: [(byteCount: Int, decision: Decision<PaceVerdict>)] = []
    /// What it was told of bytes that came while others waited: how many there were, in all.
    private(set) var grown: [Int] = []
    private let byteCountAtOnce: Int?
    private let endsAtOnce: Bool

    init(byteCountAtOnce: Int? = nil, endsAtOnce: Bool = false) {
        self.byteCountAtOnce = byteCountAtOnce
        self.endsAtOnce = endsAtOnce
    }

    func pass(
        _ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>
    ) {
        if endsAtOnce { return decision.make(.end(.close, because: ScriptedPace.failure)) }
        if let byteCountAtOnce { return decision.make(.go(byteCount: byteCountAtOnce)) }
        waiting.append((byteCount, decision))
    }

    func grew(to byteCount: Int, _ direction: PaceDirection) { grown.append(byteCount) }

    /// Releases the oldest bytes, or a number of them.
    func step(byteCount: Int? = nil) {
        guard !waiting.isEmpty else { return }
        let (count, decision) = waiting.removeFirst()
        decision.make(.go(byteCount: byteCount ?? count))
    }

    /// Ends what the oldest bytes belong to.
    func end(_ end: ExchangeEnd) {
        guard !waiting.isEmpty else { return }
        let decision = waiting.removeFirst().decision
        decision.note(.appliedRule(ScriptedPace.applied))
        decision.make(.end(end, because: ScriptedPace.failure))
    }

    /// What is noted of an end, and why it is.
    static let applied = AppliedRule(rule: "r", phase: .response, outcome: "blocked")
    static let failure = ExchangeFailure(origin: .rule, kind: .blocked, message: "r")
}
