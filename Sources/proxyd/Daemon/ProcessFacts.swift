internal import ProxydCivilTime
internal import Glibc

/// The process's resource use and limits. A value is nil if the system does not report it.
enum ProcessFacts {
    /// Processor time since the start in nanoseconds, in user space and in the kernel.
    static func processorNs() -> Int64? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Nanoseconds.clamping(seconds: Int64(time.tv_sec)) &+ Int64(time.tv_nsec)
    }

    /// The number of descriptors that are open.
    static func openDescriptorCount() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        // The folder and its parent are entries, too, and so is the descriptor that reads it.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return max(0, count)
    }

    /// The number of descriptors that may be open.
    static func descriptorCountMax() -> Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The free space for this user in the file system of a path, in bytes.
    static func freeByteCount(at path: String) -> Int64? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        let (count, isTooLarge) = UInt64(facts.f_bavail)
            .multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return isTooLarge ? Int64.max : Int64(clamping: count)
    }
}
