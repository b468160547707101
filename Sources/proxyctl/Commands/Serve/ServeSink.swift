internal import ProxydHTTPModel
internal import Synchronization

/// Takes what the engine tells of exchanges, and keeps nothing: what is served was captured once.
final class ServeSink: ExchangeSink {
    private let last = Atomic<Int64>(0)

    func nextExchangeID() -> ExchangeID { ExchangeID(rawValue: next()) }

    func nextConnectionID() -> ConnectionID { ConnectionID(rawValue: next()) }

    private func next() -> Int64 { last.add(1, ordering: .relaxed).newValue }

    func record(_ update: consuming ExchangeUpdate) {}

    func record(_ connection: ConnectionRecord) {}

    var isCongested: Bool { false }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) { resume() }
}
