internal import ProxydHTTPModel

/// A CONNECT request that is being served, with what its record will need if it gets one.
struct ConnectRequest {
    /// The host that was named.
    let host: String
    /// The port that was named.
    let port: UInt16
    /// The request's head.
    let head: RequestHead
    /// When its first octet came, on the monotonic clock.
    let firstByteAt: Int64
    /// When its head was complete.
    let headAt: Int64

    /// What the client is told: no framing fields (RFC 9110 §9.3.6).
    static let established = ResponseHead(
        status: 200, reason: "Connection established", fields: HeaderFields())

    /// Opens a record of the request.
    func openTap(leg: ClientLeg, worker: ProxyWorker) -> ExchangeTap {
        let tap = worker.openTap(leg: leg, firstByteAt: firstByteAt)
        tap.begin(url: .tunnel(host: host, port: port), head: head)
        tap.mark(.requestHead, at: headAt)
        tap.mark(.requestLastByte, at: headAt)
        tap.endRequest(trailers: nil)
        return tap
    }
}
