internal import Capture
internal import Synchronization

/// News of a store for the interface, whose watching thread is the only one to wait.
final class StoreNewsWatch: Sendable {
    private let watch: Mutex<ChangeWatch>

    init(_ directory: DataDirectory) { watch = Mutex(ChangeWatch(directory)) }

    /// Waits a tenth of a second at most; says whether there may be news.
    func wait() -> Bool { watch.withLock { $0.wait() } }
}
