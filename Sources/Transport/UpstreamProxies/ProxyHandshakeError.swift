/// Why an upstream proxy does not connect to the server.
public enum ProxyHandshakeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server's name cannot be sent to a proxy.
    case badDestination
    /// The name or password cannot be sent: it is empty, too long or has an invalid character.
    case badCredential
    /// The proxy's response is not valid HTTP.
    case malformedResponse
    /// The proxy does not speak SOCKS 5.
    case notSOCKS5
    /// The proxy does not speak SOCKS 4.
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

    /// A one-line message for the user.
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
