public import ProxydHTTPModel

extension Exchange {
    /// A message for a response whose body is incomplete, such as `7 of 1000 bytes came: the server
    /// closed`, or nil if the body is complete, still arriving or absent.
    public var cutBodyText: String? {
        guard state == .failed, let response, let failure else { return nil }
        let head = response.head
        guard head.status >= 200, head.status != 204, head.status != 304,
            request.method != .head, request.method != .connect
        else { return nil }
        let count = response.body.byteCount
        guard head.fields.first(.transferEncoding) == nil,
            let length = head.fields["Content-Length"].flatMap(Int64.init)
        else {
            let bytes = count == 1 ? "1 byte" : "\(count) bytes"
            return "incomplete, \(bytes) arrived: \(failure.briefly)"
        }
        // A response that proxyd itself sent is complete.
        guard count < length else { return nil }
        return "\(count) of \(length) bytes arrived: \(failure.briefly)"
    }
}

extension ExchangeFailure {
    /// The cause in two or three words, or the message of the failure.
    fileprivate var briefly: String {
        switch (origin, kind) {
        case (.upstream, .closedEarly): "the server closed"
        case (.client, .closedEarly): "the client closed"
        case (.upstream, .timedOut): "the server stopped sending"
        case (.rule, .blocked): "the rule \(message)"
        case (_, .shutdown): "the proxy was stopped"
        default: message
        }
    }
}
