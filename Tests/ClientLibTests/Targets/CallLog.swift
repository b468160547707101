import Synchronization

/// What happened, in order.
final class CallLog<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }
    func note(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
