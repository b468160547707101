internal import Glibc

/// What the kernel knows about a stream's socket.
extension SocketStream {
    /// Creates a stream over a connected socket from elsewhere, which it owns from now on.
    public convenience init(adopting descriptor: Int32, on loop: EventLoop) {
        loop.preconditionOnLoop()
        SocketCalls.setNonBlocking(descriptor)
        let peer = SocketAddress.fromKernel { getpeername(descriptor, $0, $1) }.address ?? .unix
        if peer.family != .unix { SocketCalls.setConnectionDefaults(descriptor) }
        self.init(loop: loop, descriptor: descriptor, peerAddress: peer, origin: .accepted)
    }

    /// Where the peer's connection was going before the kernel redirected it to this listener
    /// (netfilter's REDIRECT), or the local address if it was not redirected, which includes
    /// connections delivered by TPROXY.
    public var originalDestination: SocketAddress {
        let local = localAddress
        return ask { SocketCalls.originalDestination(of: $0, family: local.family) } ?? local
    }

    /// The process at the other end of a Unix socket; nil for other sockets.
    public var peerCredentials: PeerCredentials? { ask(PeerCredentials.init(of:)) }
}
