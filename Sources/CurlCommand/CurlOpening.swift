internal import ProxydHTTPModel

/// A captured head as curl can send it. An extended CONNECT (RFC 8441) becomes the opening that
/// HTTP/1.1 has for the same protocol (RFC 9110 §7.8): curl has no way to send the other.
struct CurlOpening {
    /// The key of RFC 6455 §1.3, for openings that need one and had none.
    private static let webSocketKey = "dGhlIHNhbXBsZSBub25jZQ=="

    let method: HTTPMethod
    let version: HTTPVersion
    let fields: HeaderFields
    /// Whether what follows the head is no body: it is, or may become, another protocol.
    let isUpgrade: Bool

    init(_ head: RequestHead) {
        guard let name = head.connectProtocol else {
            (method, version, fields) = (head.method, head.version, head.fields)
            isUpgrade =
                head.fields.first(.upgrade) != nil && head.fields.first(.contentLength) == nil
                && head.fields.first(.transferEncoding) == nil
            return
        }
        (method, version, isUpgrade) = (.get, .http11, true)
        var fields = head.fields
        fields.append(name: "Connection", value: "Upgrade")
        fields.append(name: "Upgrade", value: name)
        if name.lowercased() == "websocket", fields["Sec-WebSocket-Key"] == nil {
            fields.append(name: "Sec-WebSocket-Key", value: CurlOpening.webSocketKey)
        }
        self.fields = fields
    }
}
