internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// CONNECT, which hands the client's stream to another layer.
extension HTTP1ServerConnection {
    /// Serves a CONNECT; `early` is what arrived after its head.
    func connect(_ head: RequestHead, host: String, port: UInt16, early: Span<UInt8>) {
        connection.user = user
        let negotiation = ConnectNegotiation(
            host: host, port: port, head: head, firstByteAt: headStartedAt, headAt: worker.now)
        guard worker.configuration.isConnectPortAllowed(port) else {
            let tap = negotiation.openTap(on: connection, worker: worker)
            return answerLocally(
                .connectPortRefused, to: head, tap: tap, failure: .portRefused(port))
        }
        var tunnel = ClientTunnel(
            client: stream, connection: connection, worker: worker, negotiation: negotiation)
        tunnel.hopCount = HopCount.received(head.fields)
        handOver(to: TunnelOpening(tunnel), early: early.array)
    }
}
