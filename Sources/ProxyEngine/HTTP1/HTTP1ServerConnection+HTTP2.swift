internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// HTTP/2 by prior knowledge (RFC 9113 §3.3).
extension HTTP1ServerConnection {
    /// Hands the connection to an HTTP/2 layer if the first bytes are not a request but the HTTP/2
    /// preface; returns whether it did.
    func continuesInHTTP2(_ error: WireError, _ bytes: [UInt8]) -> Bool {
        guard error.kind == .http2Preface, isFresh, HTTP2Connection.isPrefaceBegun(bytes) else {
            return false
        }
        let layer = worker.http.layer(
            .http2, over: stream, on: connection, worker: worker, to: destination)
        handOver(to: layer, early: bytes)
        return true
    }
}
