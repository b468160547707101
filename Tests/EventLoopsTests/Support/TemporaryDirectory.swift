import ProxydEventLoops
import Glibc

/// A directory of its own, removed with its sockets at the end. Also a blocking Unix client.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws(StreamError) {
        var template = Array("/tmp/loops-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw StreamError(errorNumber: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        unlink(path + "/s")
        rmdir(path)
    }

    /// Connects and closes at once; the connection waits in the listener's backlog.
    func connect(to path: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
    }
}
