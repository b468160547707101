internal import Glibc

/// A blocking TCP socket on this machine, which costs few instructions of its own.
public struct LoopbackSocket: Sendable {
    /// What a call of the system said.
    public struct Failure: Error {
        /// The call and the text of its `errno`.
        public let message: String

        init(_ call: String) { message = "\(call): \(String(cString: strerror(errno)))" }
    }

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Connects to a port.
    public init(connectingTo port: UInt16) throws(Failure) {
        descriptor = try LoopbackSocket.made()
        let code = LoopbackSocket.withAddress(port) { connect(descriptor, $0, $1) }
        guard code == 0 else { throw Failure("connect") }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Listens on a port that is free; returns it, too.
    public static func listening() throws(Failure) -> (socket: LoopbackSocket, port: UInt16) {
        let descriptor = try made()
        guard withAddress(0, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 8) == 0
        else { throw Failure("bind") }
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutableBytes(of: &address) {
            getsockname(
                descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &byteCount)
        }
        guard code == 0 else { throw Failure("getsockname") }
        return (LoopbackSocket(descriptor: descriptor), UInt16(bigEndian: address.sin_port))
    }

    /// The next connection to a listening socket.
    public func accepted() throws(Failure) -> LoopbackSocket {
        let accepted = accept(descriptor, nil, nil)
        guard accepted >= 0 else { throw Failure("accept") }
        return LoopbackSocket(descriptor: accepted)
    }

    /// Sends all of it.
    public func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure("send") }
            sent += count
        }
    }

    /// Receives into the first bytes of `buffer` what has come; 0 where the peer has ended.
    public func receive(into buffer: inout [UInt8], from start: Int) throws(Failure) -> Int {
        let room = buffer.count - start
        let count = buffer.withUnsafeMutableBytes {
            recv(descriptor, $0.baseAddress?.advanced(by: start), room, 0)
        }
        guard count >= 0 else { throw Failure("recv") }
        return count
    }

    /// Closes it.
    public func close() { _ = Glibc.close(descriptor) }

    private static func made() throws(Failure) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("socket") }
        return descriptor
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafeBytes(of: &address) {
            body(
                $0.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
