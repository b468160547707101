internal import ProxydEventLoops
internal import Glibc

/// The addresses of this machine's network interfaces, read anew for each question.
enum LocalInterfaces {
    /// Whether an address, regardless of its port, belongs to an interface of this machine.
    static func has(_ address: SocketAddress) -> Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return false }
        defer { freeifaddrs(first) }
        var next = first
        while let interface = next?.pointee {
            if let own = interface.ifa_addr, text(own) == address.ip { return true }
            next = interface.ifa_next
        }
        return false
    }

    /// Returns an interface's IP address as text, or nil if it has none.
    private static func text(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let byteCount: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: byteCount = MemoryLayout<sockaddr_in>.size
        case AF_INET6: byteCount = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, socklen_t(byteCount), &host, socklen_t(host.count), nil, 0,
                NI_NUMERICHOST) == 0
        else { return nil }
        let bytes = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // A link-local address is printed with its interface, `fe80::1%eth0`.
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
    }
}
