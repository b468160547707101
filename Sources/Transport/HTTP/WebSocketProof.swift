internal import Foundation
public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS

/// What shows that a server of HTTP/1.1 has understood that a WebSocket is asked for.
public enum WebSocketProof {
    /// Whether a server's fields have one Sec-WebSocket-Accept, and it fits a key (RFC 6455 §4.1).
    /// - Parameter key: the value of Sec-WebSocket-Key, as it was sent.
    public static func isGiven(in response: HeaderFields, for key: String) -> Bool {
        let digest = DigestAlgorithm.sha1.digest(of: WebSocketHandshake.acceptInput(key: key))
        guard let digest else { return false }
        return response.values(named: "Sec-WebSocket-Accept")
            == [Data(digest).base64EncodedString()]
    }
}
