internal import Capture
internal import Synchronization

/// Watches a store for the interface, whose watcher thread is the only one that waits.
final class StoreNewsWatch: StoreNewsWatching {
    private struct State {
        let watch: ChangeWatch
        /// Polled for changes while no daemon reports them.
        var reader: StoreReader?
        var changeNumber: Int64?
    }

    private let directory: DataDirectory
    private let state: Mutex<State>

    init(_ directory: DataDirectory) {
        self.directory = directory
        state = Mutex(State(watch: ChangeWatch(directory)))
    }

    /// Waits at most a tenth of a second; returns whether there may be changes.
    func wait() -> Bool {
        state.withLock { state in
            guard state.watch.wait() else { return false }
            return state.watch.isSubscribed || hasChanged(&state)
        }
    }

    /// Whether the store was replaced since the last check, or exists for the first time.
    private func hasChanged(_ state: inout State) -> Bool {
        let former = state.changeNumber
        do {
            let reader = try state.reader ?? StoreReader(directory: directory)
            state.reader = reader
            state.changeNumber = try reader.changeNumber()
        } catch {
            state.reader = nil
            state.changeNumber = nil
        }
        return state.changeNumber != former
    }
}
