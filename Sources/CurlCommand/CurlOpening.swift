internal import ProxydHTTPModel

/// A captured head in a form that curl can send. An extended CONNECT (RFC 8441) becomes the
/// HTTP/1.1 upgrade to the same protocol (RFC 9110 §7.8), because curl cannot send the original.
struct CurlOpening {
    /// The sample key of RFC 6455 §1.3, for upgrades that need a key and had none.
    private static let webSocketKey = "dGhlIHNhbXBsZSBub25jZQ=="

    let method: HTTPMethod
    let version: HTTPVersion
    let fields: HeaderFields
    /// Whether the data after the head is not a body: it is, or may become, another protocol.
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
