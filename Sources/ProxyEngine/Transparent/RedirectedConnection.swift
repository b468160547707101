internal import ProxydEventLoops
internal import ProxydHTTPModel

/// A connection that the kernel has redirected to a transparent listener: the client believes that
/// it is connected to its server, and says nothing about it.
struct RedirectedConnection: Negotiation {
    let host: String
    let port: UInt16
    private let acceptedAt: Int64

    /// - Parameters:
    ///   - destination: where the client's connection was going.
    ///   - acceptedAt: when it was accepted, on the monotonic clock.
    init(to destination: SocketAddress, acceptedAt: Int64) {
        host = destination.ip
        port = destination.port
        self.acceptedAt = acceptedAt
    }

    var naming: TunnelNaming { .byClient }
    var mayBeEstablishedEarly: Bool { false }

    func openTap(on connection: ClientConnection, worker: ProxyWorker) -> ExchangeTap {
        worker.openTunnelTap(
            on: connection, host: host, port: port, firstByteAt: acceptedAt, completeAt: acceptedAt)
    }

    func establish(_ client: any DuplexStream) {}

    func recordEstablished(in tap: ExchangeTap) {}

    /// The client expects its server's protocol, whatever that is: nothing can be said in it.
    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap) {}
}
