internal import ProxydEventLoops
internal import Glibc

/// The addresses of this machine's network interfaces, as they are now.
enum LocalInterfaces {
    /// Whether an address, whatever its port, belongs to an interface of this machine.
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

    /// An interface's IP address as text; nil where it has none.
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
        let octets = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // A link-local address is shown with its interface, `fe80::1%eth0`.
        return String(decoding: octets.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
    }
}
