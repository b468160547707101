internal import Glibc

/// Questions to the file system.
enum FileSystem {
    /// Octets that may still be written where a path lies; as many as fit where it does not say.
    static func freeByteCount(_ path: String) -> Int64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return .max }
        let count = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return count.overflow ? .max : Int64(clamping: count.partialValue)
    }
}
