public import ProxydHTTPModel
public import ProxydTransport

/// Why a request did not get through its proxy.
public enum ProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The proxy itself cannot be reached.
    case unreachable(ExchangeFailure.Kind)
    /// The proxy requires credentials, or rejected those it got (407); `schemes` are those it
    /// accepts.
    case authenticationRequired(schemes: [String])
    /// The proxy responded to CONNECT with a status other than 2xx.
    case refused(status: Int)
    /// The connection was closed or failed before the proxy had answered.
    case closedEarly
    /// The proxy refused in its protocol, or violated the protocol.
    case handshakeFailed(ProxyHandshakeError)
    /// Bytes arrived in the server's name before anything was sent to the server.
    case unexpectedBytes
    /// A name that must be resolved locally has no address.
    case nameResolution

    /// One readable line.
    public var description: String {
        switch self {
        case .unreachable(let kind): "cannot be reached (\(kind.rawValue))"
        case .authenticationRequired(let schemes):
            "requires other credentials (407; \(schemes.joined(separator: ", ")))"
        case .refused(let status): "refused a tunnel to the server (\(status))"
        case .closedEarly: "closed the connection before it had answered"
        case .handshakeFailed(let error): "could not connect: \(error)"
        case .unexpectedBytes: "sent unexpected bytes"
        case .nameResolution: "cannot be given an address: the server's name has none"
        }
    }

    init(_ failure: ProxyTalk.Failure) {
        self =
            switch failure {
            case .closedEarly: .closedEarly
            case .handshake(let error): .handshakeFailed(error)
            case .unexpectedBytes: .unexpectedBytes
            }
    }

    /// The party at fault: the caller for wrong credentials, the server if the proxy could not
    /// reach it, otherwise the network.
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
        case .unreachable, .refused, .closedEarly, .unexpectedBytes, .nameResolution: .network
        }
    }
}

extension ClientError {
    /// The error for a failed proxy. Of the proxy's URL, it includes only host and port.
    init(_ error: ProxyError, of proxy: ProxyServer) {
        self.init(
            .proxyFailed, phase: .proxy, fault: error.fault,
            message: "the proxy \(proxy) \(error)", underlying: error)
    }
}
