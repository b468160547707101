internal import ProxydCLinuxProcess

/// The C library's memory allocator.
package enum Allocator {
    /// Makes all threads share one arena; to be called before any is started. With an arena for
    /// each, memory that one thread has freed is of no use to the others, and a process with a few
    /// threads that rarely run at the same time takes twice the memory.
    package static func shareOneArena() { mallopt(M_ARENA_MAX, 1) }
}
