internal import CMalloc
internal import Dispatch
internal import Synchronization

/// Gives back to the system what bursts of traffic left behind.
///
/// glibc keeps for each thread what it once needed: a daemon of months would hold the sum of its
/// peaks. Giving back walks the heap, which takes milliseconds, so it is done on a thread of its
/// own, and only where there is something to gain.
final class MemoryKeeper: Sendable {
    /// How often the memory is looked at, nanoseconds.
    static let intervalNs: Int64 = 5_000_000_000

    private let queue = DispatchQueue(label: "memory", qos: .utility)
    private let watch = Mutex(MemoryWatch(residentByteCount: ResidentMemory.byteCount() ?? 0))

    /// Looks, and gives back where that is worth it. Returns at once.
    func look() {
        queue.async { [self] in
            guard let now = ResidentMemory.byteCount() else { return }
            watch.withLock { watch in
                guard watch.isDue(residentByteCount: now) else { return }
                malloc_trim(0)
                watch.noteGivenBack(residentByteCount: ResidentMemory.byteCount() ?? now)
            }
        }
    }
}
