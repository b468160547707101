internal import ProxydCLinuxProcess

/// The C library's memory allocator.
package enum Allocator {
    /// The maximum size of free memory at the top of the heap, in bytes, that is kept.
    private static let trimThreshold: Int32 = 65_536

    /// Makes all threads share one arena and returns free memory; to be called before any thread is
    /// started. With one arena per thread, memory freed by one is of no use to others, and a
    /// process whose threads rarely run at the same time takes twice the memory.
    package static func saveMemory() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TRIM_THRESHOLD, trimThreshold)
    }
}
