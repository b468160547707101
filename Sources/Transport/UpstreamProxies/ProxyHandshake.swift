public import ProxydHTTPModel

/// The talk with a proxy before a connection leads to a server. No bytes are read or written
/// here: they come in and go out as values.
public protocol ProxyHandshake: Sendable {
    /// What is sent first.
    mutating func begin() -> [UInt8]
    /// Takes what the proxy sent. After an error, a refusal or success nothing more is taken: it
    /// throws.
    mutating func receive(_ bytes: Span<UInt8>) throws(ProxyHandshakeError) -> ProxyHandshakeStep
}

/// What a handshake asks for next.
public enum ProxyHandshakeStep: Sendable, Hashable {
    /// More bytes from the proxy.
    case needsMoreInput
    /// These bytes are to be sent to the proxy.
    case send([UInt8])
    /// The proxy says no by an HTTP response. After 407 another connection may try with
    /// credentials; nothing more is to be read from this one (RFC 9110 §9.3.6).
    case refused(ResponseHead)
    /// The connection leads to the server; these bytes came from there already.
    case established(leftover: [UInt8])
}
