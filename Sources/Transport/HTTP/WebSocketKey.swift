internal import Foundation
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// What proves to us that a server of HTTP/1.1 has understood that a WebSocket is asked for
/// (RFC 6455 §4.1).
struct WebSocketKey {
    /// The value of Sec-WebSocket-Key: 16 random bytes in Base64.
    let text: String

    /// A new one.
    init() {
        var random = SystemRandomNumberGenerator()
        let octets = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        text = Data(octets).base64EncodedString()
    }

    /// Why a response that switches protocols does not open the WebSocket; nil where it does.
    func objection(to head: ResponseHead) -> ExchangeFailure? {
        let chosen = head.upgradeProtocols.map { $0.lowercased() }
        guard chosen == ["websocket"] else { return .switchedToOther }
        return WebSocketProof.isGiven(in: head.fields, for: text) ? nil : .badWebSocketProof
    }
}
