internal import FoundationEssentials
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The challenge that an HTTP/1.1 server answers to prove that it understood a request for a
/// WebSocket (RFC 6455 §4.1).
struct WebSocketKey {
    /// The value of Sec-WebSocket-Key: 16 random bytes in Base64.
    let text: String

    /// Creates a random key.
    init() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        text = Data(bytes).base64EncodedString()
    }

    /// Returns why a response that switches protocols does not open the WebSocket, or nil if it
    /// does.
    func objection(to head: ResponseHead) -> ExchangeFailure? {
        let chosen = head.upgradeProtocols.map { $0.lowercased() }
        guard chosen == ["websocket"] else { return .switchedToOther }
        return WebSocketProof.isGiven(in: head.fields, for: text) ? nil : .badWebSocketProof
    }
}
