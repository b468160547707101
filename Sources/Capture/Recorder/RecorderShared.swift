internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import Synchronization

/// The state shared by the recorder's thread and all other threads.
final class RecorderShared: Sendable {
    private let status = Mutex(RecorderStatus())
    private let lastExchangeID = Atomic<Int64>(0)
    private let lastConnectionID = Atomic<Int64>(0)
    private let subscribers = Mutex<(next: Int, all: [Int: @Sendable (StoreChange) -> Void])>(
        (0, [:]))

    /// The status without the part that comes from the queue.
    var currentStatus: RecorderStatus { status.withLock { $0 } }

    /// Changes the status.
    func update(_ change: (inout RecorderStatus) -> Void) { status.withLock { change(&$0) } }

    /// Takes the next exchange number.
    func takeExchangeID() -> ExchangeID {
        ExchangeID(rawValue: lastExchangeID.add(1, ordering: .relaxed).newValue)
    }

    /// Takes the next connection number.
    func takeConnectionID() -> ConnectionID {
        ConnectionID(rawValue: lastConnectionID.add(1, ordering: .relaxed).newValue)
    }

    /// Continues after the numbers that are in the store.
    func raiseIDs(exchange: Int64, connection: Int64) {
        _ = lastExchangeID.max(exchange, ordering: .relaxed)
        _ = lastConnectionID.max(connection, ordering: .relaxed)
    }

    /// Registers a closure to call after each commit that changed something; returns its number.
    func subscribe(_ onChange: @escaping @Sendable (StoreChange) -> Void) -> Int {
        subscribers.withLock {
            $0.next += 1
            $0.all[$0.next] = onChange
            return $0.next
        }
    }

    /// Ends a subscription.
    func unsubscribe(_ number: Int) {
        _ = subscribers.withLock { $0.all.removeValue(forKey: number) }
    }

    /// Notifies the subscribers.
    func publish(_ change: StoreChange) {
        guard !change.isEmpty else { return }
        let all = subscribers.withLock { Array($0.all.values) }
        for onChange in all { onChange(change) }
    }
}
