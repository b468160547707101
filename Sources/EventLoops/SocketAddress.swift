internal import Glibc

/// The address of one end of a connection: IPv4 or IPv6 with a port, or a Unix socket, whose path
/// is not stored here. IPv4-mapped IPv6 addresses are converted to IPv4.
public struct SocketAddress: Sendable, Hashable {
    public enum Family: UInt8, Sendable, Hashable {
        case ipv4
        case ipv6
        case unix
    }

    public let family: Family
    /// The port; 0 for a Unix socket.
    public let port: UInt16
    /// The interface index of a link-local IPv6 address; 0 if it does not matter.
    let scope: UInt32
    /// The address in network byte order: the first four bytes of `high` for IPv4, all 16 for IPv6.
    let high: UInt64
    let low: UInt64

    /// The address of any Unix-domain socket.
    public static let unix = SocketAddress(family: .unix, port: 0, scope: 0, high: 0, low: 0)

    private init(family: Family, port: UInt16, scope: UInt32, high: UInt64, low: UInt64) {
        self.family = family
        self.port = port
        self.scope = scope
        self.high = high
        self.low = low
    }

    /// Creates an IPv4 address; the first byte is the most significant one of `bits`.
    public init(ipv4 bits: UInt32, port: UInt16) {
        self.init(family: .ipv4, port: port, scope: 0, high: UInt64(bits) << 32, low: 0)
    }

    /// Creates an IPv6 address from its upper and lower half; a mapped IPv4 address becomes IPv4.
    public init(ipv6 high: UInt64, _ low: UInt64, port: UInt16, scope: UInt32 = 0) {
        if high == 0, low >> 32 == 0xFFFF {
            self.init(ipv4: UInt32(truncatingIfNeeded: low), port: port)
        } else {
            self.init(family: .ipv6, port: port, scope: scope, high: high, low: low)
        }
    }

    /// Parses an address: `127.0.0.1`, `::1` or `[::1]`. Nil if the text is not an IP address in
    /// standard spelling; short forms such as `127.1` are not accepted.
    public init?(ip: String, port: UInt16) {
        guard Self.mayBeAddress(ip) else { return nil }
        // inet_pton would stop at a NUL and parse another address.
        guard !ip.utf8.contains(0) else { return nil }
        var text = Substring(ip)
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        var v4 = in_addr()
        if inet_pton(AF_INET, String(text), &v4) == 1 {
            self.init(ipv4: UInt32(bigEndian: v4.s_addr), port: port)
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, String(text), &v6) == 1 else { return nil }
        self.init(v6, port: port, scope: 0)
    }

    /// Distinguishes most names from addresses, at lower cost than `inet_pton`.
    private static func mayBeAddress(_ text: String) -> Bool {
        guard let last = text.utf8.last else { return false }
        return UInt8(ascii: "0")...UInt8(ascii: "9") ~= last
            || text.utf8.contains(UInt8(ascii: ":"))
    }

    /// The address without its port, as text: `127.0.0.1`, `::1`; empty for a Unix socket.
    public var ip: String {
        switch family {
        case .ipv4:
            let bits = UInt32(truncatingIfNeeded: high >> 32)
            return "\(bits >> 24).\(bits >> 16 & 0xFF).\(bits >> 8 & 0xFF).\(bits & 0xFF)"
        case .ipv6: return ipv6Text
        case .unix: return ""
        }
    }

    /// Whether it is a loopback address (127.0.0.0/8 or `::1`) or a Unix socket.
    public var isLoopback: Bool {
        switch family {
        case .ipv4: high >> 56 == 127
        case .ipv6: high == 0 && low == 1
        case .unix: true
        }
    }

    /// Whether it is the unspecified address, `0.0.0.0` or `::`.
    public var isUnspecified: Bool { family != .unix && high == 0 && low == 0 }

    public func with(port: UInt16) -> SocketAddress {
        SocketAddress(family: family, port: port, scope: scope, high: high, low: low)
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:80`, `[::1]:80`, or `unix`.
    public var description: String {
        switch family {
        case .ipv4: "\(ip):\(port)"
        case .ipv6: "[\(ip)]:\(port)"
        case .unix: "unix"
        }
    }
}

/// Conversions to and from the kernel's `sockaddr` structures.
extension SocketAddress {
    init(_ address: in6_addr, port: UInt16, scope: UInt32) {
        let (high, low) = withUnsafeBytes(of: address) { bytes in
            (
                bytes.loadUnaligned(as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        self.init(ipv6: UInt64(bigEndian: high), UInt64(bigEndian: low), port: port, scope: scope)
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
            self.init(v6.sin6_addr, port: UInt16(bigEndian: v6.sin6_port), scope: v6.sin6_scope_id)
        case AF_UNIX: self = .unix
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
    func withKernelForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
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

/// The `sockaddr_un` of a Unix socket's path.
enum UnixAddress {
    /// Passes the `sockaddr_un` to `body`; nil if the path is empty or longer than 107 bytes.
    static func withKernelForm<Result>(
        path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard !bytes.isEmpty, bytes.count < room.count else { return false }
            room.copyBytes(from: bytes)
            return true
        }
        guard fits else { return nil }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
