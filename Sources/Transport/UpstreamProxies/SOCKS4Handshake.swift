internal import ProxydHTTPWire

/// Asks a SOCKS 4 proxy for a connection; names are sent by SOCKS 4a, for the proxy to resolve.
///
///     begin ─▶ request sent ─(90)▶ established
public struct SOCKS4Handshake: ProxyHandshake {
    private static let replyByteCount = 8

    private let request: [UInt8]
    private var pending: [UInt8] = []
    private var isOver = false

    /// Creates a request for a connection to a server, given as an IPv4 address or a name.
    /// - Parameter user: the user name; SOCKS 4 has no password.
    public init(
        host: String, port: UInt16, user: String = ""
    ) throws(ProxyHandshakeError) {
        let userBytes = Array(user.utf8)
        guard userBytes.count <= 255, !userBytes.contains(0) else { throw .badCredential }
        let head: [UInt8] = [4, 1] + port.networkBytes
        if let address = InternetAddress(host) {
            guard address.bytes.count == 4, !SOCKS4Handshake.meansName(address) else {
                throw .badDestination
            }
            request = head + address.bytes + userBytes + [0]
            return
        }
        let name = Array(host.utf8)
        guard (1...255).contains(name.count), !name.contains(0) else { throw .badDestination }
        request = head + [0, 0, 0, 1] + userBytes + [0] + name + [0]
    }

    /// Whether SOCKS 4a expects a name after such an address.
    private static func meansName(_ address: InternetAddress) -> Bool {
        address.bytes.starts(with: [0, 0, 0])
    }

    /// Returns the request to send.
    public mutating func begin() -> [UInt8] { request }

    /// Takes bytes from the proxy.
    public mutating func receive(
        _ bytes: Span<UInt8>
    ) throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        guard !isOver else { throw .malformedReply }
        bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
        isOver = true
        if let version = pending.first, version != 0 { throw .notSOCKS4 }
        // A refusal may end the connection before the rest of the reply, which has no meaning then.
        if pending.count >= 2, pending[1] != 90 { throw .init(reply4: pending[1]) }
        guard pending.count >= Self.replyByteCount else {
            isOver = false
            return .needsMoreInput
        }
        return .established(leftover: Array(pending[Self.replyByteCount...]))
    }
}
