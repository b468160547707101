internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// What is held of one exchange, for people and scripts to decide about. Confined to its loop.
final class ExchangeHold {
    private let desk: HoldDesk
    /// What is held, and how it is recorded that its client left.
    private var held: (id: HoldID, note: () -> Void)?

    init(_ desk: HoldDesk) { self.desk = desk }

    /// Whether there is someone to hold messages for.
    var isPossible: Bool { desk.isTaking }

    /// Holds a message; `goOn` hears what came of it, unless the client leaves.
    func wait<Verdict: EndingVerdict>(
        for message: HeldMessage, _ decision: Decision<Verdict>,
        _ goOn: @escaping (Result<HoldEnd, NotHeld>) -> Void
    ) {
        do throws(NotHeld) {
            let id = try desk.hold(message, on: decision.loop) { [weak self] end in
                guard let self, held != nil else { return }
                held = nil
                goOn(.success(end))
            }
            held = (id, { decision.note(.appliedRule(message.leftByClient)) })
        } catch {
            goOn(.failure(error))
        }
    }

    /// The client has left.
    func end() {
        guard let held else { return }
        self.held = nil
        held.note()
        desk.clientGone(held.id)
    }
}
