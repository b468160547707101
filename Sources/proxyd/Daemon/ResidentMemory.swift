internal import Glibc

/// Reads the memory use of the process.
enum ResidentMemory {
    /// Resident bytes as the kernel counts them, or nil if /proc cannot be read.
    static func byteCount() -> Int64? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Int64(words[1]) else { return nil }
        return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
