internal import ProxydHTTPModel
internal import Synchronization

/// Receives exchanges from the engine and discards them: what is served has already been captured.
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
