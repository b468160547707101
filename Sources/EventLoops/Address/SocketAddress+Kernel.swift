internal import Glibc

/// Conversions to and from the kernel's `sockaddr` structures.
extension SocketAddress {
    init(_ address: in6_addr, port: UInt16, scope: UInt32) {
        let (high, low) = withUnsafeBytes(of: address) { bytes in
            (
                bytes.loadUnaligned(as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        self.init(
            ipv6: UInt64(bigEndian: high), UInt64(bigEndian: low), port: port, scope: scope)
    }

    /// Reads an address written by accept, getsockname or getaddrinfo. Nil for other address
    /// families.
    init?(_ address: UnsafeRawPointer, byteCount: Int) {
        guard byteCount >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where byteCount >= MemoryLayout<sockaddr_in>.size:
            let v4 = address.loadUnaligned(as: sockaddr_in.self)
            self.init(
                ipv4: UInt32(bigEndian: v4.sin_addr.s_addr), port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6 where byteCount >= MemoryLayout<sockaddr_in6>.size:
            let v6 = address.loadUnaligned(as: sockaddr_in6.self)
            self.init(
                v6.sin6_addr, port: UInt16(bigEndian: v6.sin6_port), scope: v6.sin6_scope_id)
        case AF_UNIX:
            self = .unix
        default: return nil
        }
    }

    /// The address family as an `AF_` constant.
    var kernelFamily: Int32 {
        switch family {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Passes an IP address as a `sockaddr` to `body`.
    func withKernelForm<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        switch family {
        case .ipv4, .unix:
            var v4 = sockaddr_in()
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            v4.sin_addr.s_addr = UInt32(truncatingIfNeeded: high >> 32).bigEndian
            return SocketAddress.lend(v4, body)
        case .ipv6:
            var v6 = sockaddr_in6()
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            v6.sin6_scope_id = scope
            v6.sin6_addr = kernelIPv6
            return SocketAddress.lend(v6, body)
        }
    }

    private var kernelIPv6: in6_addr {
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }

    /// The text of an IPv6 address in its canonical form (RFC 5952).
    var ipv6Text: String {
        var address = kernelIPv6
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Makes a call that fills in an address (accept, getsockname, getpeername), and reads it. The
    /// result of the call is negative if it failed.
    static func fromKernel(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (result: Int32, address: SocketAddress?) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let start = bytes.baseAddress else { return (-1, nil) }
            let result = call(start.assumingMemoryBound(to: sockaddr.self), &length)
            guard result >= 0 else { return (result, nil) }
            // A Unix client has no name, and the kernel then writes only the family, or nothing.
            let address = SocketAddress(start, byteCount: min(Int(length), bytes.count))
            return (result, address ?? .unix)
        }
    }

    private static func lend<Form, Result>(
        _ form: Form, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: form) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Form>.size))
            }
        }
    }
}
