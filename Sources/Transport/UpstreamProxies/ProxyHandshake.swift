public import ProxydHTTPModel

/// The handshake with an upstream proxy that opens a connection to a server. It performs no I/O:
/// bytes come in and go out as values.
public protocol ProxyHandshake: Sendable {
    /// Returns the first bytes to send.
    mutating func begin() -> [UInt8]
    /// Takes bytes from the proxy. After an error, a refusal or success, any further call throws.
    mutating func receive(_ bytes: Span<UInt8>) throws(ProxyHandshakeError) -> ProxyHandshakeStep
}

/// The next step of a handshake.
public enum ProxyHandshakeStep: Sendable, Hashable {
    /// More bytes from the proxy are needed.
    case needsMoreInput
    /// These bytes must be sent to the proxy.
    case send([UInt8])
    /// The proxy refused with an HTTP response. After 407, another connection may try with
    /// credentials; nothing more is read from this one (RFC 9110 §9.3.6).
    case refused(ResponseHead)
    /// The connection leads to the server, which has already sent these bytes.
    case established(leftover: [UInt8])
}
