internal import Capture
internal import Synchronization

/// News of a store for the interface, whose watching thread is the only one to wait.
final class StoreNewsWatch: Sendable {
    private struct State {
        let watch: ChangeWatch
        /// Asked whether anybody wrote, while no daemon tells.
        var reader: StoreReader?
        var changeNumber: Int64?
    }

    private let directory: DataDirectory
    private let state: Mutex<State>

    init(_ directory: DataDirectory) {
        self.directory = directory
        state = Mutex(State(watch: ChangeWatch(directory)))
    }

    /// Waits a tenth of a second at most; says whether there may be news.
    func wait() -> Bool {
        state.withLock { state in
            guard state.watch.wait() else { return false }
            return state.watch.isSubscribed || hasChanged(&state)
        }
    }

    /// Whether the store is another than at the last look, or is there for the first time.
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
