internal import Glibc

/// The kernel's form of a Unix socket's path.
///
/// `sun_path` holds 107 bytes. A longer path is reached through `/proc/self/fd`, so that a deep
/// data directory works too.
struct UnixSocketAddress {
    private let path: [UInt8]

    /// The address of a file in an open directory whose path is known.
    init(directory: borrowing ControlDirectory, fileName: String) {
        let direct = Array("\(directory.path)/\(fileName)".utf8)
        let indirect = Array("/proc/self/fd/\(directory.descriptor)/\(fileName)".utf8)
        path = direct.count < UnixSocketAddress.byteCountMax ? direct : indirect
    }

    /// Room for a path and its final NUL.
    private static let byteCountMax = 108

    /// Calls `body` with the kernel's form.
    func withSockaddr<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            // The last byte stays NUL; the initialiser saw to it that all fits.
            for (index, byte) in path.prefix(room.count - 1).enumerated() { room[index] = byte }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
