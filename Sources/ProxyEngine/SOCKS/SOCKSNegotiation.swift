internal import ProxydEventLoops
internal import ProxydHTTPModel

/// A request for a connection by SOCKS 4, 4a or 5.
struct SOCKSNegotiation: Negotiation {
    private let request: SOCKSRequest
    /// When the first byte of the handshake arrived, on the monotonic clock.
    private let firstByteAt: Int64
    /// When the request was complete, on the monotonic clock.
    private let completeAt: Int64

    init(_ request: SOCKSRequest, firstByteAt: Int64, completeAt: Int64) {
        self.request = request
        self.firstByteAt = firstByteAt
        self.completeAt = completeAt
    }

    var host: String { request.host }
    var port: UInt16 { request.port }

    func openTap(on connection: ClientConnection, worker: ProxyWorker) -> ExchangeTap {
        worker.openTunnelTap(
            on: connection, host: host, port: port, firstByteAt: firstByteAt,
            completeAt: completeAt)
    }

    func establish(_ client: any DuplexStream) { client.write(SOCKSReply.success(request.version)) }

    /// The reply is no HTTP response.
    func recordEstablished(in tap: ExchangeTap) {}

    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap) {
        client.write(SOCKSReply.refusal(request.version, refusal))
    }
}

extension ProxyWorker {
    /// Opens the record of a tunnel that no HTTP request has asked for. Its request is shown as a
    /// CONNECT without fields, and it has no response.
    func openTunnelTap(
        on connection: ClientConnection, host: String, port: UInt16, firstByteAt: Int64,
        completeAt: Int64
    ) -> ExchangeTap {
        let url = RawURL.tunnel(host: host, port: port)
        let tap = openTap(on: connection, firstByteAt: firstByteAt)
        tap.begin(
            url: url,
            head: RequestHead(
                method: .connect, target: Array(url.authority.utf8), fields: HeaderFields()))
        tap.mark(.requestHead, at: completeAt)
        tap.mark(.requestLastByte, at: completeAt)
        tap.endRequest(trailers: nil, at: completeAt)
        return tap
    }
}
