/// The server's proof that it supports WebSocket (RFC 6455 §4.2.2).
public enum WebSocketHandshake {
    /// The version that clients of RFC 6455 send in Sec-WebSocket-Version.
    public static let version = "13"

    /// Returns the input for Sec-WebSocket-Accept: the field's value is the Base64-encoded SHA-1
    /// digest of these bytes.
    /// - Parameter key: the value of Sec-WebSocket-Key, as received.
    public static func acceptInput(key: String) -> [UInt8] {
        Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
    }
}
