internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// The held message of one exchange, about which people or scripts decide. Confined to its loop.
final class ExchangeHold {
    private let desk: HoldDesk
    /// The current hold, and a closure that records that its client left.
    private var held: (id: HoldID, note: () -> Void)?

    /// How a hold ended, and when the message was held, on the monotonic clock.
    typealias Outcome = (end: HoldEnd, time: AppliedRule.Hold)

    init(_ desk: HoldDesk) { self.desk = desk }

    /// Whether anyone can decide about held messages.
    var isPossible: Bool { desk.isTaking }

    /// Holds a message; `goOn` is called with the outcome, unless the client leaves.
    func wait<Verdict: EndingVerdict>(
        for message: HeldMessage, _ decision: Decision<Verdict>,
        _ goOn: @escaping (Result<Outcome, NotHeld>) -> Void
    ) {
        let start = EventLoop.monotonicNow()
        func time() -> AppliedRule.Hold {
            AppliedRule.Hold(startNs: start, durationNs: EventLoop.monotonicNow() &- start)
        }
        do throws(NotHeld) {
            let id = try desk.hold(message, on: decision.loop) { [weak self] end in
                guard let self, held != nil else { return }
                held = nil
                goOn(.success((end, time())))
            }
            held = (id, { decision.note(.appliedRule(message.leftByClient(time()))) })
        } catch {
            goOn(.failure(error))
        }
    }

    /// The client has left, or the exchange has ended.
    func end() {
        guard let held else { return }
        self.held = nil
        held.note()
        desk.clientGone(held.id)
    }
}
