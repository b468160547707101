public import ProxydHTTPModel

extension ResponseHead {
    /// The head for an HTTP/2 client after an HTTP/1.1 server has switched protocols for its
    /// extended CONNECT: 200 instead of 101, and without the proof that only HTTP/1.1 needs (RFC
    /// 8441 §5). Connection fields are not forwarded in any case.
    public var asOpenedStream: ResponseHead {
        var kept = fields
        kept.removeAll(named: "Sec-WebSocket-Accept")
        return ResponseHead(version: version, status: 200, reason: "", fields: kept)
    }
}
