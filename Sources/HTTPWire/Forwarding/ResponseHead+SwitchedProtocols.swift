public import ProxydHTTPModel

extension ResponseHead {
    /// What a client of HTTP/2 gets where a server of HTTP/1.1 has switched protocols as its
    /// extended CONNECT asked: 200 for 101, without the proof that HTTP/1.1 needs (RFC 8441 §5).
    /// What is for the server's connection alone does not go on in any case.
    public var asOpenedStream: ResponseHead {
        var kept = fields
        kept.removeAll(named: "Sec-WebSocket-Accept")
        return ResponseHead(version: version, status: 200, reason: "", fields: kept)
    }
}
