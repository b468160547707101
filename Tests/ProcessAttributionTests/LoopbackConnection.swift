import Glibc

@testable import ProxydProcessAttribution

/// A TCP connection of this process with itself, over real sockets.
final class LoopbackConnection {
    private var descriptors: [Int32] = []
    /// The client's own address.
    let client: TCPEndpoint
    /// The address it connected to.
    let server: TCPEndpoint

    struct Failure: Error {
        let call: String
        let code = errno
    }

    /// Connects over 127.0.0.1, or ::1, or from an IPv6 socket to IPv4 by a mapped address.
    init(family: Int32, ip: String) throws {
        let listener = try Self.socket(family)
        descriptors.append(listener)
        try Self.withAddress(family, ip, port: 0) { try Self.check(bind(listener, $0, $1), "bind") }
        try Self.check(listen(listener, 1), "listen")
        let port = try Self.port(of: listener)
        let socket = try Self.socket(family)
        descriptors.append(socket)
        try Self.withAddress(family, ip, port: port) {
            try Self.check(connect(socket, $0, $1), "connect")
        }
        client = try Self.endpoint(ip, try Self.port(of: socket))
        server = try Self.endpoint(ip, port)
    }

    deinit { closeAll() }

    /// The inode of the client's socket, as its descriptor tells.
    var clientInode: UInt {
        var status = stat()
        return fstat(descriptors[1], &status) == 0 ? status.st_ino : 0
    }

    func closeAll() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    /// Whether this machine speaks IPv6 with itself.
    static var hasIPv6: Bool { (try? LoopbackConnection(family: AF_INET6, ip: "::1")) != nil }

    private static func endpoint(_ ip: String, _ port: UInt16) throws -> TCPEndpoint {
        guard let endpoint = TCPEndpoint(ip: ip, port: port) else {
            throw Failure(call: "endpoint")
        }
        return endpoint
    }

    private static func socket(_ family: Int32) throws -> Int32 {
        let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        try check(descriptor, "socket")
        return descriptor
    }

    private static func check(_ result: Int32, _ call: String) throws {
        guard result >= 0 else { throw Failure(call: call) }
    }

    private static func withAddress(
        _ family: Int32,
        _ ip: String,
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        var storage = sockaddr_storage()
        try withUnsafeMutableBytes(of: &storage) { bytes in
            if family == AF_INET {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(family)
                address.sin_port = port.bigEndian
                guard inet_pton(family, ip, &address.sin_addr) == 1 else {
                    throw Failure(call: "inet_pton")
                }
                bytes.storeBytes(of: address, as: sockaddr_in.self)
            } else {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(family)
                address.sin6_port = port.bigEndian
                guard inet_pton(family, ip, &address.sin6_addr) == 1 else {
                    throw Failure(call: "inet_pton")
                }
                bytes.storeBytes(of: address, as: sockaddr_in6.self)
            }
        }
        try withUnsafePointer(to: &storage) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let size =
                    family == AF_INET
                    ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
                try body($0, socklen_t(size))
            }
        }
    }

    private static func port(of descriptor: Int32) throws -> UInt16 {
        var storage = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        try check(result, "getsockname")
        // IPv4 and IPv6 addresses keep the port in the same place.
        return UInt16(bigEndian: storage.sin6_port)
    }
}
