internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydRules
internal import ProxydSystem
internal import ProxydWebServer
internal import Synchronization

/// Watches store and daemon on its own thread, and publishes changes.
final class NewsThread: Sendable {
    private static let stackByteCount = 1 << 20

    private let store: SharedReader
    private let services: WebServices
    private let feed: EventFeed
    private let taking: HoldTaking
    private let isStopped = Mutex(false)
    private let published = Mutex<JSONValue?>(nil)

    init(
        _ store: SharedReader, _ services: WebServices, _ feed: EventFeed, _ taking: HoldTaking
    ) {
        self.store = store
        self.services = services
        self.feed = feed
        self.taking = taking
    }

    func start() -> Bool {
        publish()
        return startDetachedThread(stackByteCount: NewsThread.stackByteCount) { self.run() }
    }

    func stop() { isStopped.withLock { $0 = true } }

    private func run() {
        var daemon = DaemonNews(store, services, feed)
        while !isStopped.withLock({ $0 }) {
            if services.waitForChange() { publish() }
            let now = SystemClock.monotonicNow()
            taking.update(hasListeners: feed.listenerCount > 0, now: now)
            daemon.publish(now: now)
        }
    }

    /// Sends an event if the store differs from the last one that was sent.
    private func publish() {
        guard let reader = try? store.reader() else { return send(.members([("through", .null)])) }
        let (last, change) = (try? reader.lastExchangeID(), try? reader.changeNumber())
        send(
            .members([
                ("through", .text(last.flatMap { $0 }.map { "\($0)" })),
                ("change", .integer(change)), ("store", .string(String(reader.storeNumber))),
            ]))
    }

    private func send(_ value: JSONValue) {
        let isNew = published.withLock { former in
            defer { former = value }
            return former != value
        }
        if isNew { feed.publish("change", value) }
    }
}

/// Publishes what changes in the daemon, as long as anyone listens: it is asked several times a
/// second, because it reports no changes.
private struct DaemonNews {
    private static let intervalNs: Int64 = 200_000_000

    private let store: SharedReader
    private let services: WebServices
    private let feed: EventFeed
    private var published: StatusFacts?
    private var askedAt: Int64?

    init(_ store: SharedReader, _ services: WebServices, _ feed: EventFeed) {
        self.store = store
        self.services = services
        self.feed = feed
    }

    mutating func publish(now: Int64) {
        guard feed.listenerCount > 0, let reporting = services.actions.statusReporting else {
            return forget()
        }
        if let askedAt, now - askedAt < DaemonNews.intervalNs { return }
        askedAt = now
        let facts = reporting.facts()
        let former = published
        published = facts
        if former.map(DaemonNews.withoutCounts) != DaemonNews.withoutCounts(facts) {
            feed.publish("status", StatusJSON.value(facts, services, store))
        }
        if former?.rulesChangeCount != facts.rulesChangeCount {
            let value = JSONValue.integer(facts.rulesChangeCount)
            feed.publish("rules", .members([("change", value)]))
        }
        if former.map(HoldFacts.init) != HoldFacts(facts) {
            feed.publish("holds", HoldsJSON.value(facts))
        }
    }

    /// A later listener must not receive what may be wrong by then.
    private mutating func forget() {
        guard published != nil else { return }
        published = nil
        askedAt = nil
        feed.retract("status")
        feed.retract("holds")
        feed.retract("rules")
    }

    /// Each exchange changes the counts; the event `change` reports those.
    private static func withoutCounts(_ facts: StatusFacts) -> StatusFacts {
        var facts = facts
        facts.exchangeCount = nil
        facts.storeByteCount = nil
        facts.isTakingHolds = false
        facts.intercept = nil
        facts.rulesChangeCount = nil
        return facts
    }
}

/// What the event `holds` reports.
private struct HoldFacts: Hashable {
    private let holds: [HoldSummary]
    private let isTaking: Bool
    private let intercept: Intercept?

    init(_ facts: StatusFacts) {
        holds = facts.holds
        isTaking = facts.isTakingHolds
        intercept = facts.intercept
    }
}

extension EventFeed {
    fileprivate func publish(_ name: String, _ value: JSONValue) {
        var text: [UInt8] = []
        JSONText.write(value, into: &text)
        publish(name, String(decoding: text, as: UTF8.self))
    }
}

/// Accepts holds for the page, and holds what its intercept box says, as long as a tab has its
/// event stream open: otherwise clients would wait for someone who has left. The daemon itself
/// keeps holding for 10 seconds after that.
final class HoldTaking: Sendable {
    /// How long a tab may be away, as while it is loaded again, for holding to go on: as long as
    /// the daemon holds without an interface.
    private static let absenceNsMax = HoldLedger.Limits().graceNs

    private enum Presence {
        case off
        case on
        /// The last tab has gone, at this time.
        case paused(since: Int64)
    }

    private struct State {
        var presence = Presence.off
        /// What this page holds without a rule of the file.
        var intercept: Intercept?
    }

    private let handling: (any HoldHandling)?
    /// What the daemon holds without a rule of the file, whoever set it.
    private let intercept: @Sendable () -> Intercept?
    private let state = Mutex(State())

    init(_ actions: HostActions) {
        handling = actions.holdHandling
        intercept = { actions.statusReporting?.facts().intercept }
    }

    func set(_ isOn: Bool) throws {
        try state.withLock { state in
            if !isOn, state.intercept != nil { try handling?.intercept(nil) }
            try handling?.take(isOn)
            state.presence = isOn ? .on : .off
            if !isOn { state.intercept = nil }
        }
    }

    func set(_ intercept: Intercept?) throws {
        try state.withLock { state in
            try handling?.intercept(intercept)
            state.intercept = intercept
            if intercept != nil { state.presence = .on }
        }
    }

    /// - Parameters:
    ///   - hasListeners: Whether a tab is open.
    ///   - now: The current time of a monotonic clock, in nanoseconds.
    func update(hasListeners: Bool, now: Int64) {
        state.withLock { state in
            switch state.presence {
            case .off: break
            case .on where !hasListeners:
                try? handling?.take(false)
                state.presence = .paused(since: now)
            case .on: break
            case .paused(let since) where now - since > HoldTaking.absenceNsMax: state = State()
            case .paused where hasListeners: resume(&state)
            case .paused: break
            }
        }
    }

    private func resume(_ state: inout State) {
        do {
            try handling?.take(true)
            // Someone may have ended or changed it meanwhile.
            if state.intercept != intercept() { state.intercept = nil }
            if let intercept = state.intercept { try handling?.intercept(intercept) }
            state.presence = .on
        } catch {
            // Without a daemon, nothing is held any more.
            state = State()
        }
    }
}
