internal import FoundationEssentials
public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS

/// The proof of an HTTP/1.1 server that it understood a request for a WebSocket.
public enum WebSocketProof {
    /// Whether a server's fields contain exactly one Sec-WebSocket-Accept, and it matches a key
    /// (RFC 6455 §4.1).
    /// - Parameter key: the value of Sec-WebSocket-Key, as it was sent.
    public static func isGiven(in response: HeaderFields, for key: String) -> Bool {
        let digest = DigestAlgorithm.sha1.digest(of: WebSocketHandshake.acceptInput(key: key))
        guard let digest else { return false }
        return response.values(named: "Sec-WebSocket-Accept")
            == [Data(digest).base64EncodedString()]
    }
}
