internal import ProxydHTTPWire

/// Asks a SOCKS 5 proxy for a connection (RFC 1928), with name and password if it wants them (RFC
/// 1929).
///
///     begin ─▶ methods sent ─(none)────────────────────────▶ request sent ─(0)▶ established
///                └(password)▶ credentials sent ─(accepted)──▶┘
public struct SOCKS5Handshake: ProxyHandshake {
    private enum State: Sendable {
        case choosingMethod
        case authenticating
        case requesting
        case finished
    }

    private let credentials: [UInt8]?
    private let request: [UInt8]
    private var state = State.choosingMethod
    private var pending: [UInt8] = []

    /// Creates a request for a connection to a server. An address is sent as an address, anything
    /// else as a name for the proxy to resolve.
    public init(
        host: String, port: UInt16, password: ProxyPassword? = nil
    ) throws(ProxyHandshakeError) {
        request = [5, 1, 0] + (try SOCKS5Handshake.address(host)) + port.networkBytes
        guard let password else {
            credentials = nil
            return
        }
        let (user, secret) = (Array(password.user.utf8), Array(password.password.utf8))
        guard let userCount = UInt8(exactly: user.count), userCount > 0,
            let secretCount = UInt8(exactly: secret.count)
        else { throw .badCredential }
        credentials = [1, userCount] + user + [secretCount] + secret
    }

    private static func address(_ host: String) throws(ProxyHandshakeError) -> [UInt8] {
        if let address = InternetAddress(host) {
            return [address.bytes.count == 4 ? 1 : 4] + address.bytes
        }
        let name = Array(host.utf8)
        guard let byteCount = UInt8(exactly: name.count), byteCount > 0, !name.contains(0) else {
            throw .badDestination
        }
        return [3, byteCount] + name
    }

    /// Returns the offered methods: no authentication and, if there is a password, by password.
    public mutating func begin() -> [UInt8] {
        credentials == nil ? [5, 1, 0] : [5, 2, 0, 2]
    }

    /// Takes bytes from the proxy.
    public mutating func receive(
        _ bytes: Span<UInt8>
    ) throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        do throws(ProxyHandshakeError) {
            return try step(bytes)
        } catch {
            state = .finished
            throw error
        }
    }

    private mutating func step(
        _ bytes: Span<UInt8>
    ) throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        guard state != .finished else { throw .malformedReply }
        bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
        switch state {
        case .choosingMethod: return try chooseMethod()
        case .authenticating: return try authenticate()
        case .requesting, .finished: return try finish()
        }
    }

    private mutating func chooseMethod() throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        guard let version = pending.first else { return .needsMoreInput }
        guard version == 5 else { throw .notSOCKS5 }
        guard let message = try takeMessage(byteCount: 2) else { return .needsMoreInput }
        switch (message[1], credentials) {
        case (0, _):
            state = .requesting
            return .send(request)
        case (2, let credentials?):
            state = .authenticating
            return .send(credentials)
        case (0xFF, _): throw .noAcceptableMethod
        default: throw .malformedReply
        }
    }

    private mutating func authenticate() throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        guard let message = try takeMessage(byteCount: 2) else { return .needsMoreInput }
        guard message[0] == 1 else { throw .malformedReply }
        guard message[1] == 0 else { throw .authenticationFailed }
        state = .requesting
        return .send(request)
    }

    /// Takes a message that must be answered: the proxy may not send anything after it before the
    /// answer.
    private mutating func takeMessage(byteCount: Int) throws(ProxyHandshakeError) -> [UInt8]? {
        guard pending.count >= byteCount else { return nil }
        guard pending.count == byteCount else { throw .malformedReply }
        defer { pending = [] }
        return pending
    }

    private mutating func finish() throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        guard let version = pending.first else { return .needsMoreInput }
        guard version == 5 else { throw .notSOCKS5 }
        // A refusal may end the connection before its meaningless address is sent.
        guard pending.count >= 2 else { return .needsMoreInput }
        if let error = ProxyHandshakeError(reply: pending[1]) { throw error }
        guard pending.count >= 5 else { return .needsMoreInput }
        let addressByteCount: Int
        switch pending[3] {
        case 1: addressByteCount = 4
        case 3: addressByteCount = 1 + Int(pending[4])
        case 4: addressByteCount = 16
        default: throw .malformedReply
        }
        let byteCount = 4 + addressByteCount + 2
        guard pending.count >= byteCount else { return .needsMoreInput }
        state = .finished
        return .established(leftover: Array(pending[byteCount...]))
    }
}

extension UInt16 {
    /// The two bytes in network byte order.
    var networkBytes: [UInt8] {
        [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)]
    }
}
