internal import Glibc

/// Queries to the file system.
enum FileSystem {
    /// The free space where a path is, in bytes; the maximum integer if it is unknown.
    static func freeByteCount(_ path: String) -> Int64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return .max }
        let count = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return count.overflow ? .max : Int64(clamping: count.partialValue)
    }
}
