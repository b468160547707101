/// What proves that a server speaks WebSocket (RFC 6455 §4.2.2).
public enum WebSocketHandshake {
    /// The version that the clients of RFC 6455 name in Sec-WebSocket-Version.
    public static let version = "13"

    /// What Sec-WebSocket-Accept is made of: the field is the Base64 form of the SHA-1 digest of
    /// these bytes.
    /// - Parameter key: the value of Sec-WebSocket-Key, as it was sent.
    public static func acceptInput(key: String) -> [UInt8] {
        Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
    }
}
