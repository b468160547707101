internal import Capture
internal import Synchronization

/// News of a store for the interface, whose watching thread is the only one to wait.
final class StoreNewsWatch: Sendable {
    private let watch: Mutex<ChangeWatch>

    init(_ directory: DataDirectory) { watch = Mutex(ChangeWatch(directory)) }

    /// Returns when there may be news, or after a tenth of a second.
    func wait() { watch.withLock { $0.wait() } }
}
