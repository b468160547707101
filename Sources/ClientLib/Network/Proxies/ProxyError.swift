public import ProxydHTTPModel
public import ProxydTransport

/// Why a request did not get through its proxy.
public enum ProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The proxy itself cannot be reached.
    case unreachable(ExchangeFailure.Kind)
    /// It wants credentials, or others than it got (407); the schemes that it takes.
    case authenticationRequired(schemes: [String])
    /// It answered CONNECT with another status than 2xx.
    case refused(status: Int)
    /// It closed the connection, or the connection broke, before it had answered.
    case closedEarly
    /// It said no in the words of its protocol, or does not keep to it.
    case handshakeFailed(ProxyHandshakeError)
    /// It sent bytes in the server's name before the server was asked anything.
    case unexpectedOctets
    /// A name that is to be looked up here has no address.
    case nameResolution

    /// One line for a person.
    public var description: String {
        switch self {
        case .unreachable(let kind): "cannot be reached (\(kind.rawValue))"
        case .authenticationRequired(let schemes):
            "wants other credentials (407; \(schemes.joined(separator: ", ")))"
        case .refused(let status): "refused a tunnel to the server (\(status))"
        case .closedEarly: "closed the connection before it had answered"
        case .handshakeFailed(let error): "did not make a connection: \(error)"
        case .unexpectedOctets: "sent bytes that no one asked for"
        case .nameResolution: "cannot be told an address: the server's name has none"
        }
    }

    /// Whose fault it is: wrong credentials are the caller's, what the proxy could not do for the
    /// server is the server's, all else lies on the way.
    var fault: ClientError.Fault {
        switch self {
        case .authenticationRequired: .caller
        case .handshakeFailed(let error):
            switch error {
            case .badDestination, .badCredential, .noAcceptableMethod, .authenticationFailed:
                .caller
            case .connectionRefused, .hostUnreachable: .server
            default: .network
            }
        case .unreachable(.overloaded): .library
        case .refused(502...504): .server
        case .unreachable, .refused, .closedEarly, .unexpectedOctets, .nameResolution: .network
        }
    }
}

extension ClientError {
    /// What went wrong with a proxy. Of the proxy's text, its host and port are told.
    init(_ error: ProxyError, of proxy: ProxyServer) {
        self.init(
            .proxyFailed, phase: .proxy, fault: error.fault,
            message: "the proxy \(proxy) \(error)", underlying: error)
    }
}
