internal import ProxydCivilTime
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRules

extension Decision {
    /// Records what the rules did.
    func note(_ notes: PhaseNotes) {
        for applied in notes.applied { note(.appliedRule(applied)) }
        for tag in notes.tags { note(.tagged(tag)) }
    }
}

extension Decision where Verdict: EndingVerdict {
    /// Ends the exchange as a `block` action says.
    func end(_ block: RuleBlock, _ notes: PhaseNotes) {
        switch block {
        case .status(let status): make(.answer(ExchangeAnswer(RuleAnswer(status: status))))
        case .close: make(.end(.close, because: .blocked(notes)))
        case .reset: make(.end(.reset, because: .blocked(notes)))
        case .hang: break  // Never decided: the client waits until it leaves.
        }
    }
}

extension Decision where Verdict: EndingVerdict {
    /// Ends the exchange if the one who was asked decided so; returns false if it continues.
    func end(_ end: HoldEnd, _ notes: PhaseNotes) -> Bool {
        switch end.fate {
        case .unchanged, .changed, .clientGone: return false
        case .answered(let answer):
            note(notes)
            make(.answer(ExchangeAnswer(answer)))
        case .dropped:
            note(notes)
            make(.end(.close, because: .blocked(notes)))
        }
        return true
    }
}

/// Continues after the delays, each with its jitter, and the time that a network takes; immediately
/// if there is nothing to wait for.
func after(
    _ delays: [RuleDelay], networkNs: Int64 = 0, on loop: EventLoop, _ proceed: @escaping () -> Void
) {
    let milliseconds = delays.map { delay in
        delay.milliseconds &+ Int.random(in: 0...delay.jitterMilliseconds)
    }
    let delayMs = Int64(milliseconds.reduce(0, &+))
    let total = Nanoseconds.clamping(milliseconds: delayMs) &+ networkNs
    guard total > 0 else { return proceed() }
    wait(until: EventLoop.monotonicNow() &+ total, on: loop, proceed)
}

/// Continues at or after a time of the clock that the record uses: timers may fire some
/// milliseconds early.
private func wait(until deadline: Int64, on loop: EventLoop, _ proceed: @escaping () -> Void) {
    loop.schedule(afterNs: max(1, deadline &- EventLoop.monotonicNow())) {
        guard loop.now < deadline else { return proceed() }
        wait(until: deadline, on: loop, proceed)
    }
}

extension ExchangeAnswer {
    init(_ answer: RuleAnswer) {
        self.init(head: answer.head, body: answer.body, trailers: answer.trailers)
    }

    init(_ decided: ResponseDecision, or answer: RuleAnswer? = nil) {
        self.init(
            head: decided.message.head, body: decided.body ?? answer?.body ?? [],
            isSecret: decided.message.options.isSecret,
            trailers: decided.isAnswer ? nil : answer?.trailers)
    }
}

extension ExchangeFailure {
    /// The failure of an exchange that a rule ended.
    static func blocked(_ notes: PhaseNotes) -> ExchangeFailure {
        ExchangeFailure(origin: .rule, kind: .blocked, message: notes.applied.last?.rule ?? "")
    }
}

extension RuledConnection {
    /// Creates the description of a connection before it is made.
    init(_ asked: RequestedConnection) {
        self.init(
            client: asked.peer.description, process: asked.process?.name, host: asked.host,
            port: asked.port, scheme: asked.isTunnel ? "tunnel" : "http",
            startedAtNs: EventLoop.wallNow())
        take(asked.arrival, asked.user)
    }

    /// Creates the description of the connection that a request came over.
    init(_ exchange: ExchangeContext, _ url: RawURL) {
        self.init(
            client: exchange.peer.description, process: exchange.process?.name, host: url.host,
            port: url.port, scheme: url.scheme, startedAtNs: EventLoop.wallNow())
        take(exchange.arrival, exchange.user)
    }

    private mutating func take(_ arrival: ConnectionRecord.Arrival?, _ user: String?) {
        listener = arrival?.listener
        namedClient = arrival?.proxyProtocolPeer
        self.user = user
    }
}
