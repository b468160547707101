internal import ProxydCLibevent
internal import Glibc

/// A socket that takes connections. Owns its descriptor, and closes it when the last listener is
/// gone. Several loops may serve it at the same time.
public final class ListeningSocket: Sendable {
    /// Where it listens, with the real port; the Unix placeholder for a Unix socket.
    public let localAddress: SocketAddress
    let descriptor: Int32

    /// Connections the kernel keeps for us until we accept them.
    public static let backlogCountMax: Int32 = 1_024

    /// Listens at an address; port 0 lets the system choose one.
    public init(address: SocketAddress) throws(StreamError) {
        let descriptor = SocketCalls.makeSocket(family: address.kernelFamily)
        guard descriptor >= 0 else { throw StreamError(errorNumber: errno) }
        SocketCalls.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == .ipv6 {
            SocketCalls.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        let result = address.withKernelForm { Glibc.bind(descriptor, $0, $1) }
        try ListeningSocket.listen(descriptor, bindResult: result)
        SocketCalls.setConnectionDefaults(descriptor)
        self.descriptor = descriptor
        localAddress = ListeningSocket.address(of: descriptor)
    }

    /// Listens at a path of the file system, which must not exist. The file gets the mode; it is
    /// not removed at the end. The caller must see to it that nobody else can enter the directory.
    public init(unixPath: String, mode: UInt32 = 0o600) throws(StreamError) {
        let descriptor = SocketCalls.makeSocket(family: AF_UNIX)
        guard descriptor >= 0 else { throw StreamError(errorNumber: errno) }
        let result = ListeningSocket.bindUnix(descriptor, path: unixPath)
        if result == 0, chmod(unixPath, mode) != 0 {
            let number = errno
            Glibc.close(descriptor)
            throw StreamError(errorNumber: number)
        }
        try ListeningSocket.listen(descriptor, bindResult: result)
        self.descriptor = descriptor
        localAddress = .unix
    }

    /// Takes over a listening socket that was handed to the process (systemd's socket activation).
    /// Throws when the descriptor is no listening stream socket.
    public init(adopting descriptor: Int32) throws(StreamError) {
        let isListening = SocketCalls.option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 1
        let type = SocketCalls.option(descriptor, SOL_SOCKET, SO_TYPE)
        guard isListening, type == Int32(SOCK_STREAM.rawValue) else {
            throw StreamError(
                kind: .other, message: "descriptor \(descriptor) is no listening stream socket")
        }
        SocketCalls.setNonBlocking(descriptor)
        self.descriptor = descriptor
        localAddress = ListeningSocket.address(of: descriptor)
        if localAddress.family != .unix { SocketCalls.setConnectionDefaults(descriptor) }
    }

    deinit { Glibc.close(descriptor) }

    private static func address(of descriptor: Int32) -> SocketAddress {
        SocketAddress.fromKernel { getsockname(descriptor, $0, $1) }.address ?? .unix
    }

    private static func listen(_ descriptor: Int32, bindResult: Int32) throws(StreamError) {
        if bindResult == 0, Glibc.listen(descriptor, backlogCountMax) == 0 { return }
        let number = errno
        Glibc.close(descriptor)
        throw StreamError(errorNumber: number)
    }

    private static func bindUnix(_ descriptor: Int32, path: String) -> Int32 {
        let result = UnixAddress.withKernelForm(path: path) { Glibc.bind(descriptor, $0, $1) }
        if result == nil { errno = ENAMETOOLONG }
        return result ?? -1
    }
}
