internal import ProxydHTTPModel

/// Why a SOCKS client is refused before it has named a server that could be connected to.
enum SOCKSFault: Error, Equatable {
    case notSOCKS
    case malformed
    case noMethod
    case noPassword
    case wrongPassword
    case tooManyPasswords
    case command
    case addressKind
    case port(UInt16)
}

extension ExchangeFailure {
    /// A SOCKS handshake that did not succeed.
    static func socks(_ fault: SOCKSFault) -> ExchangeFailure {
        ExchangeFailure(origin: fault.origin, kind: fault.kind, message: fault.message)
    }

    /// A SOCKS handshake that was not completed in time.
    static let socksTimedOut = ExchangeFailure(
        origin: .client, kind: .timedOut,
        message: "the client did not complete its SOCKS handshake in time")

    /// A SOCKS handshake that the client ended.
    static let socksClosed = ExchangeFailure(
        origin: .client, kind: .closedEarly,
        message: "the client closed the connection inside its SOCKS handshake")
}

extension SOCKSFault {
    fileprivate var origin: ExchangeFailure.Origin {
        if case .port = self { .proxy } else { .client }
    }

    fileprivate var kind: ExchangeFailure.Kind {
        switch self {
        case .notSOCKS, .malformed, .noMethod, .command, .addressKind: .malformedRequest
        case .noPassword, .wrongPassword, .tooManyPasswords, .port: .refused
        }
    }

    fileprivate var message: String {
        switch self {
        case .notSOCKS: "the client does not speak SOCKS, which this listener requires"
        case .malformed: "the client's SOCKS handshake is not valid"
        case .noMethod: "the client offers no way to authenticate that SOCKS clients here need"
        case .noPassword: "the client offers no name and password, which this listener requires"
        case .wrongPassword: "the name or the password is wrong"
        case .tooManyPasswords: "too many wrong passwords: none is checked for a while"
        case .command: "the client asked for another SOCKS command than CONNECT"
        case .addressKind: "the client sent an address of an unknown kind"
        case .port(let port): "connections to port \(port) are not allowed by the configuration"
        }
    }
}
