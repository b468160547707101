internal import Glibc

/// A port of this machine that no one listens on: who connects is refused. It is held as long as
/// this lives, so no other program gets it meanwhile.
public final class SilentPort: Sendable {
    /// The system has no port to give.
    public struct Unavailable: Error {}

    private let descriptor: Int32
    /// Its number.
    public let port: UInt16

    /// Takes a port that is free.
    public init() throws(Unavailable) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, byteCount) == 0 && getsockname(descriptor, $0, &byteCount) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw Unavailable() }
    }

    deinit { close(descriptor) }

    /// Where nothing answers.
    public var url: String { "http://127.0.0.1:\(port)" }
}
