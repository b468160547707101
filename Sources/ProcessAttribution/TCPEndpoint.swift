internal import Glibc

/// One end of a TCP connection: an IP address and a port.
public struct TCPEndpoint: Sendable, Hashable {
    /// 4 or 16 bytes, network order. IPv4 addresses mapped into IPv6 are kept as IPv4: the kernel
    /// files such a connection under its IPv4 addresses.
    let bytes: [UInt8]
    /// The port, host order.
    let port: UInt16

    /// An endpoint of an address written out, without brackets; nil where that is no IP address.
    public init?(ip: String, port: UInt16) {
        self.port = port
        var v4 = in_addr()
        if inet_pton(AF_INET, ip, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, ip, &v6) == 1 else { return nil }
        let all = withUnsafeBytes(of: v6) { Array($0) }
        let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        bytes = all.starts(with: mappedPrefix) ? Array(all[12...]) : all
    }
}
