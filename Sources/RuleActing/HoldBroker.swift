internal import ProxydEventLoops
public import ProxydFilter
public import ProxydRules
internal import Synchronization

/// Holds messages of exchanges, and lets interfaces decide about them. Safe on any thread;
/// exchanges are called back on their loops.
public final class HoldBroker: Sendable {
    /// An exchange that waits for the outcome of a hold.
    private struct Waiting: Sendable {
        let loop: EventLoop
        let done: LoopBound<(HoldEnd) -> Void>
    }

    private struct State {
        var ledger: HoldLedger
        var waiting: [HoldID: Waiting] = [:]
        var tell: (@Sendable (HoldNews) -> Void)?
    }

    private let state: Mutex<State>
    /// Read for every exchange that a rule may hold, therefore without the lock.
    private let isOpen = Atomic<Bool>(false)

    init(_ limits: HoldLedger.Limits = HoldLedger.Limits()) {
        state = Mutex(State(ledger: HoldLedger(limits)))
    }

    var isTaking: Bool { isOpen.load(ordering: .acquiring) }

    /// Sets the receiver of events for interfaces, which are delivered in order. It must neither
    /// block nor call the broker.
    public func tell(_ tell: (@Sendable (HoldNews) -> Void)?) {
        state.withLock { $0.tell = tell }
    }

    /// Calls the ledger, and carries out the effects.
    /// - Parameter keep: Called with the answer before the effects are carried out.
    private func ask<Answer: Sendable, Failure: Error>(
        _ question: (inout HoldLedger) throws(Failure) -> Answer,
        keep: (Answer, inout State) -> Void = { _, _ in }
    ) throws(Failure) -> Answer {
        let answer: Result<Answer, Failure> = state.withLock { state in
            let answer = Result { () throws(Failure) in try question(&state.ledger) }
            if case .success(let answer) = answer { keep(answer, &state) }
            finish(state.ledger.takeEffects(), &state)
            return answer
        }
        return try answer.get()
    }

    private func finish(_ effects: HoldLedger.Effects, _ state: inout State) {
        isOpen.store(state.ledger.isTaking, ordering: .releasing)
        for (id, end) in effects.ended {
            guard let waiting = state.waiting.removeValue(forKey: id) else { continue }
            waiting.loop.execute { waiting.done.value(end) }
        }
        if let tell = state.tell { for news in effects.news { tell(news) } }
        guard let delayNs = effects.expiresAfterNs, let loop = state.waiting.first?.value.loop
        else { return }
        loop.execute {
            loop.schedule(afterNs: delayNs + HoldBroker.slackNs) { [weak self] in self?.expire() }
        }
    }

    /// Timers may fire slightly early.
    private static let slackNs: Int64 = 20_000_000

    private func expire() { ask { $0.expire(now: EventLoop.monotonicNow()) } }

    // MARK: Exchanges

    /// Holds a message. On the exchange's loop.
    /// - Parameter done: Called once, on the loop, with the outcome.
    func hold(
        _ message: HeldMessage, on loop: EventLoop, _ done: @escaping (HoldEnd) -> Void
    ) throws(NotHeld) -> HoldID {
        let timer = loop.makeTimer { [weak self] in self?.expire() }
        let waiting = Waiting(
            loop: loop,
            done: LoopBound(
                { end in
                    timer.cancel()
                    done(end)
                }, loop: loop))
        let (now, wallNow) = (EventLoop.monotonicNow(), EventLoop.wallNow())
        let id = try ask { (ledger) throws(NotHeld) in
            try ledger.hold(message, now: now, wallNow: wallNow)
        } keep: { id, state in
            state.waiting[id] = waiting
        }
        timer.restart(afterNs: message.hold.timeoutNs + HoldBroker.slackNs)
        return id
    }

    func clientGone(_ id: HoldID) { ask { $0.clientGone(id) } }

    func keepOnly(heldBy rules: RuleSet) { ask { $0.keepOnly(heldBy: rules) } }

    func stop() { ask { $0.stop() } }

    // MARK: Interfaces

    /// Registers an interface for holds; with a filter, for messages that it certainly selects.
    public func subscribe(_ client: HoldClient, _ filter: Filter? = nil) {
        ask { $0.subscribe(client, filter) }
    }

    /// A connection has closed, of an interface or of a client that only decides.
    public func leave(_ client: HoldClient) {
        ask { $0.leave(client, now: EventLoop.monotonicNow()) }
    }

    /// Lists the held messages, oldest first; with a filter, only those that it certainly selects.
    public func list(_ filter: Filter? = nil) -> [HoldStatus] {
        ask { $0.list(filter, now: EventLoop.monotonicNow(), wallNow: EventLoop.wallNow()) }
    }

    /// Returns a part of a held message; of its body, the content before content codings.
    public func read(_ part: HoldPart, of id: HoldID) throws(HoldRefusal) -> [UInt8] {
        let message = try ask { (ledger) throws(HoldRefusal) in try ledger.message(id) }
        switch part {
        case .head: return message.headText
        case .body:
            guard let content = message.bodyContent else { throw .bodyNotHeld }
            return content
        }
    }

    /// Claims a hold, so that others can see who edits it.
    public func claim(_ id: HoldID, by client: HoldClient, named name: String) throws(HoldRefusal) {
        try ask { (ledger) throws(HoldRefusal) in
            try ledger.claim(id, by: client, named: name)
        }
    }

    /// Lets a hold last for this time, even without an interface; returns its status.
    public func reserve(_ id: HoldID, forNs duration: Int64) throws(HoldRefusal) -> HoldStatus {
        let (now, wallNow) = (EventLoop.monotonicNow(), EventLoop.wallNow())
        return try ask { (ledger) throws(HoldRefusal) in
            try ledger.reserve(id, forNs: duration, now: now, wallNow: wallNow)
        }
    }

    /// Takes a piece of an edited part.
    public func write(
        _ part: HoldPart, of id: HoldID, at offset: Int, _ bytes: [UInt8], by client: HoldClient
    ) throws(HoldRefusal) {
        try ask { (ledger) throws(HoldRefusal) in
            try ledger.write(part, of: id, at: offset, bytes, by: client)
        }
    }

    /// Lets a message go on, edited or unchanged, with actions applied to it.
    public func resume(
        _ id: HoldID, isEdited: Bool, actions: [String], by client: HoldClient
    ) throws(HoldRefusal) {
        let content = try use(id, by: client) { (draft) throws(HoldRefusal) in
            try draft.content(isEdited: isEdited, actions: actions)
        }
        try ask { (ledger) throws(HoldRefusal) in
            try ledger.resume(id, as: content, by: client)
        }
    }

    /// Answers the client with the written answer.
    public func answer(_ id: HoldID, by client: HoldClient) throws(HoldRefusal) {
        let answer = try use(id, by: client) { (draft) throws(HoldRefusal) in
            try draft.answer()
        }
        try ask { (ledger) throws(HoldRefusal) in
            try ledger.answer(id, with: answer, by: client)
        }
    }

    /// Computes a result from a written edit, without holding the lock; on failure, drops the edit.
    private func use<Made>(
        _ id: HoldID, by client: HoldClient, _ make: (HoldDraft) throws(HoldRefusal) -> Made
    ) throws(HoldRefusal) -> Made {
        let draft = try ask { (ledger) throws(HoldRefusal) in try ledger.draft(id, by: client) }
        do throws(HoldRefusal) {
            return try make(draft)
        } catch {
            ask { $0.discard(id, by: client) }
            throw error
        }
    }

    /// Ends the client's connection without an answer.
    public func drop(_ id: HoldID, by client: HoldClient) throws(HoldRefusal) {
        try ask { (ledger) throws(HoldRefusal) in try ledger.drop(id, by: client) }
    }

    /// Lets all messages go on that a filter certainly selects; returns their number.
    public func resumeAll(_ filter: Filter?, by client: HoldClient) -> Int {
        ask { $0.resumeAll(filter, by: client) }
    }
}
