public import ProxydHTTPModel

extension Exchange {
    /// What to say of a response of which only a part of the body came: `7 of 1000 bytes came: the
    /// server closed`. Nil where it came whole, is still coming, or has no body.
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
            return "\(bytes) came, not the whole: \(failure.briefly)"
        }
        // A response of our own is whole.
        guard count < length else { return nil }
        return "\(count) of \(length) bytes came: \(failure.briefly)"
    }
}

extension ExchangeFailure {
    /// Who ended it, in two or three words where they tell it all.
    fileprivate var briefly: String {
        switch (origin, kind) {
        case (.upstream, .closedEarly): "the server closed"
        case (.client, .closedEarly): "the client closed"
        case (.upstream, .timedOut): "the server fell silent"
        case (.rule, .blocked): "the rule \(message)"
        case (_, .shutdown): "the proxy was stopped"
        default: message
        }
    }
}
