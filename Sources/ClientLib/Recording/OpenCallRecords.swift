internal import ProxydHTTPModel
internal import Synchronization

/// Sees to it that what is known of a long call is recorded while it runs: an event stream is
/// looked at long before it ends.
final class OpenCallRecords: Sendable {
    /// How long news may wait.
    private static let interval = Duration.milliseconds(200)

    private struct Entry {
        weak var call: RecordedCall?
    }

    private struct State {
        var entries: [Entry] = []
        var isTicking = false
    }

    private let state = Mutex(State())

    /// Looks after a call until it is over.
    func add(_ call: RecordedCall) {
        let mustStart = state.withLock { state in
            state.entries.append(Entry(call: call))
            defer { state.isTicking = true }
            return !state.isTicking
        }
        guard mustStart else { return }
        Task { [weak self] in
            repeat {
                try? await Task.sleep(for: OpenCallRecords.interval)
            } while self?.tick() == true
        }
    }

    /// Hands over what is new; says whether anything may come.
    private func tick() -> Bool {
        let open = state.withLock { state -> [RecordedCall] in
            let open = state.entries.compactMap(\.call).filter { !$0.isOver }
            state.entries = open.map(Entry.init)
            state.isTicking = !open.isEmpty
            return open
        }
        for call in open { call.flush() }
        return !open.isEmpty
    }
}
