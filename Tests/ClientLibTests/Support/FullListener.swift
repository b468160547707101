import Glibc

/// A port of this machine that takes no connection any more: its queue is full, and no one empties
/// it.
final class FullListener {
    let port: UInt16
    private var descriptors: [Int32] = []

    init?() {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors = [listening]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listening, pointer, length) == 0 && listen(listening, 0) == 0
                    && getsockname(listening, pointer, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { return nil }
        // More than the queue takes, whatever a kernel makes of 0.
        for _ in 0..<4 {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_INET, kind, 0)
            descriptors.append(descriptor)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, length)
                }
            }
        }
    }

    deinit { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }
}
