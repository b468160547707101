internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS

/// Failures while a connection is being made.
extension ExchangeFailure {
    static func lookup(_ error: HostLookupError, host: String) -> ExchangeFailure {
        let kind: Kind =
            switch error {
            case .notFound, .temporary, .other: .nameResolution
            case .timedOut: .timedOut
            case .overloaded: .overloaded
            }
        return ExchangeFailure(
            origin: kind == .overloaded ? .proxy : .upstream, kind: kind,
            message: "cannot look up \(host): \(error)")
    }

    static func connecting(_ error: StreamError, to target: ConnectTarget) -> ExchangeFailure {
        let kind: Kind =
            switch error.kind {
            case .refused: .connectionRefused
            case .timedOut: .timedOut
            case .exhausted: .overloaded
            case .reset, .unreachable, .addressInUse, .notPermitted, .security, .other:
                .connectFailed
            }
        return ExchangeFailure(
            origin: kind == .overloaded ? .proxy : .upstream, kind: kind,
            message: "cannot connect to \(target.authority): \(error)")
    }

    static func securing(_ error: TLSError, to target: ConnectTarget) -> ExchangeFailure {
        if case .certificate(let problem) = error.kind {
            return ExchangeFailure(
                origin: .upstream, kind: .certificate,
                message: "the certificate of \(target.authority) is not valid: \(problem.message)")
        }
        return ExchangeFailure(
            origin: error.kind == .configuration ? .proxy : .upstream, kind: .tlsHandshake,
            message: "TLS with \(target.authority) failed: \(error.message)")
    }

    static func tooSlow(_ step: String, _ target: ConnectTarget) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .timedOut,
            message: "\(step) \(target.authority) took too long")
    }

    static func connectLoop(_ target: ConnectTarget) -> ExchangeFailure {
        ExchangeFailure(
            origin: .client, kind: .loop,
            message: "\(target.authority) is an address of this proxy itself")
    }

    /// Worded for the proxy's clients and for programs that pass a `permission` of their own.
    static func connectDenied(
        _ target: ConnectTarget, _ address: SocketAddress
    ) -> ExchangeFailure {
        ExchangeFailure(
            origin: .client, kind: .refused,
            message: "the address of \(target.authority) is not allowed: \(address.ip)")
    }
}

extension ConnectTarget {
    /// `host:port` for display, with brackets around an IPv6 address.
    var authority: String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
            ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
