internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// CONNECT: another layer goes on with the client.
extension HTTP1ServerConnection {
    /// Serves a CONNECT; `early` is what came after its head.
    func connect(_ head: RequestHead, host: String, port: UInt16, early: Span<UInt8>) {
        let request = ConnectRequest(
            host: host, port: port, head: head, firstByteAt: headStartedAt, headAt: worker.now)
        guard worker.configuration.isConnectPortAllowed(port) else {
            let tap = request.openTap(leg: leg, worker: worker)
            return answerLocally(
                .connectPortRefused, to: head, tap: tap, failure: .portRefused(port))
        }
        let layer = ConnectLayer(client: stream, leg: leg, worker: worker, request: request)
        handOver(to: layer)
        layer.start(early: early)
        tellOfEnd(layer)
    }
}
