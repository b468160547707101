internal import ProxydHTTPModel
internal import Synchronization

/// Records long calls while they run, because an event stream is inspected long before it ends.
final class OpenCallRecords: Sendable {
    /// How long new data may wait.
    private static let interval = Duration.milliseconds(200)

    private struct Entry {
        weak var call: RecordedCall?
    }

    private struct State {
        var entries: [Entry] = []
        var isTicking = false
    }

    private let state = Mutex(State())

    /// Watches a call until it ends.
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

    /// Passes on new data; returns whether more may follow.
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
