public import ProxydHTTPModel
internal import ProxydHTTPWire

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
    case needsMoreInput
    case send([UInt8])
    /// The proxy refused with an HTTP response. After 407, another connection may try with
    /// credentials; nothing more is read from this one (RFC 9110 §9.3.6).
    case refused(ResponseHead)
    /// The connection leads to the server, which has already sent these bytes.
    case established(leftover: [UInt8])
}

/// Why an upstream proxy does not connect to the server.
public enum ProxyHandshakeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server's name cannot be sent to a proxy.
    case badDestination
    /// The name or password cannot be sent: it is empty, too long or has an invalid character.
    case badCredential
    /// The proxy's response is not valid HTTP.
    case malformedResponse
    case notSOCKS5
    case notSOCKS4
    /// The proxy requires an authentication method other than those offered.
    case noAcceptableMethod
    /// The proxy rejected the name and password.
    case authenticationFailed
    /// SOCKS reply 1; for SOCKS 4, the request was rejected or failed.
    case generalFailure
    /// SOCKS reply 2: the proxy's rules forbid the connection.
    case notAllowed
    /// SOCKS reply 3.
    case networkUnreachable
    /// SOCKS reply 4.
    case hostUnreachable
    /// SOCKS reply 5: the server refused.
    case connectionRefused
    /// SOCKS reply 6.
    case timeToLiveExpired
    /// SOCKS reply 7.
    case commandNotSupported
    /// SOCKS reply 8.
    case addressTypeNotSupported
    /// A SOCKS reply code without a defined meaning.
    case unknownReply(UInt8)
    /// A SOCKS reply with an invalid form, or one that came too early.
    case malformedReply

    public var description: String {
        switch self {
        case .badDestination: "the server's name cannot be sent to a proxy"
        case .badCredential: "the name or password for the proxy is empty, too long or invalid"
        case .malformedResponse: "the proxy's response is not HTTP"
        case .notSOCKS5: "the proxy does not speak SOCKS 5"
        case .notSOCKS4: "the proxy does not speak SOCKS 4"
        case .noAcceptableMethod: "the proxy accepts none of the authentication methods"
        case .authenticationFailed: "the proxy does not accept the name and password"
        case .generalFailure: "the proxy reports a general failure"
        case .notAllowed: "the proxy's rules do not allow the connection"
        case .networkUnreachable: "the server's network cannot be reached"
        case .hostUnreachable: "the server cannot be reached"
        case .connectionRefused: "the server refused the connection"
        case .timeToLiveExpired: "the time to live expired on the way to the server"
        case .commandNotSupported: "the proxy does not support the command"
        case .addressTypeNotSupported: "the proxy does not support this kind of address"
        case .unknownReply(let reply): "the proxy gave an undefined reply (\(reply))"
        case .malformedReply: "the proxy's reply is malformed or came too early"
        }
    }

    /// The error for a SOCKS 4 reply other than success.
    init(reply4: UInt8) {
        switch reply4 {
        case 91: self = .generalFailure
        // The proxy asked the client's ident server, in place of a password, and rejected the
        // answer or got none.
        case 92, 93: self = .authenticationFailed
        default: self = .unknownReply(reply4)
        }
    }

    /// The error for a SOCKS 5 reply (RFC 1928 §6); nil for success.
    init?(reply: UInt8) {
        switch reply {
        case 0: return nil
        case 1: self = .generalFailure
        case 2: self = .notAllowed
        case 3: self = .networkUnreachable
        case 4: self = .hostUnreachable
        case 5: self = .connectionRefused
        case 6: self = .timeToLiveExpired
        case 7: self = .commandNotSupported
        case 8: self = .addressTypeNotSupported
        default: self = .unknownReply(reply)
        }
    }
}

/// Asks an HTTP proxy for a tunnel (RFC 9110 §9.3.6).
///
///     begin ─▶ CONNECT sent ─(1xx)▶ … ─(2xx)▶ established
///                                     └(else)▶ refused
public struct HTTPConnectHandshake: ProxyHandshake {
    /// The request's target, which Digest authentication needs: `host:port`.
    public let target: [UInt8]
    private let request: [UInt8]
    private var decoder: ResponseDecoder
    private var isOver = false

    /// Creates a request for a tunnel to a server. `fields` may contain Proxy-Authorization and
    /// others.
    public init(
        host: String, port: UInt16, fields: HeaderFields = HeaderFields(),
        headByteCountMax: Int = 65_536
    ) throws(ProxyHandshakeError) {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let target = Array("\(shown):\(port)".utf8)
        guard !host.isEmpty, FieldValidator.isRequestTarget(target.span),
            !host.utf8.contains(where: { "/?#@".utf8.contains($0) })
        else { throw .badDestination }
        var all = HeaderFields()
        all.append(name: Array("Host".utf8), value: target)
        for line in fields.lines where line.name != .host {
            let name = Array(fields.bytes[line.nameRange])
            let value = Array(fields.bytes[line.valueRange])
            guard FieldValidator.isToken(name.span), FieldValidator.isFieldValue(value.span) else {
                throw .badCredential
            }
            all.append(name: name, value: value)
        }
        self.target = target
        request = RequestHead(method: .connect, target: target, fields: all).bytes
        var limits = WireLimits()
        limits.responseHeadByteCountMax = headByteCountMax
        decoder = ResponseDecoder(limits: limits)
    }

    /// Creates a request for a tunnel to a server, with a name and password for Basic
    /// authentication that are sent without waiting for a challenge.
    public init(host: String, port: UInt16, password: ProxyPassword) throws(ProxyHandshakeError) {
        guard let value = password.basicValue else { throw .badCredential }
        var fields = HeaderFields()
        fields.append(name: Array("Proxy-Authorization".utf8), value: value)
        try self.init(host: host, port: port, fields: fields)
    }

    public mutating func begin() -> [UInt8] {
        decoder.expectResponse(toMethod: .connect)
        return request
    }

    public mutating func receive(
        _ bytes: Span<UInt8>
    ) throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        guard !isOver else { throw .malformedResponse }
        var offset = 0
        isOver = true
        do {
            while true {
                switch try decoder.decode(bytes, from: &offset) {
                case .informational: continue
                case .head(let head, _) where (200..<300).contains(head.status):
                    let leftover = bytes.extracting(offset..<bytes.count)
                    return .established(leftover: leftover.withUnsafeBufferPointer(Array.init))
                case .head(let head, _): return .refused(head)
                case .needsMoreInput, .body, .trailers, .end:
                    isOver = false
                    return .needsMoreInput
                }
            }
        } catch {
            throw .malformedResponse
        }
    }
}

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
    public init(host: String, port: UInt16, user: String = "") throws(ProxyHandshakeError) {
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

    public mutating func begin() -> [UInt8] { request }

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
