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
    /// Growth that is worth giving back, in octets.
    private static let growthByteCount: Int64 = 8 << 20

    private let queue = DispatchQueue(label: "memory", qos: .utility)
    /// Resident octets when last looked at, or after giving back.
    private let residentByteCount = Mutex(ResidentMemory.byteCount() ?? 0)

    /// Looks, and gives back where the process has grown. Returns at once.
    func look() {
        queue.async { [self] in
            guard let now = ResidentMemory.byteCount() else { return }
            residentByteCount.withLock { last in
                if now - last > MemoryKeeper.growthByteCount {
                    malloc_trim(0)
                    last = ResidentMemory.byteCount() ?? now
                } else {
                    last = min(last, now)
                }
            }
        }
    }
}
