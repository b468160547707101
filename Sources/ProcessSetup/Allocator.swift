internal import ProxydCLinuxProcess

/// The C library's memory allocator.
package enum Allocator {
    /// The most free memory at the end of the heap, in bytes, that is not given back.
    private static let trimThreshold: Int32 = 65_536

    /// Makes all threads share one arena, and gives back what is free; to be called before any
    /// thread is started. With an arena for each, memory that one thread has freed is of no use to
    /// the others, and a process whose threads rarely run at the same time takes twice the memory.
    package static func saveMemory() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TRIM_THRESHOLD, trimThreshold)
    }
}
