internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Failures of upstream proxies. Each message names the proxy and says whose fault it is; none
/// contains what the proxy wrote, except its status.
extension ExchangeFailure {
    /// The failure of a connection to the proxy itself.
    func meeting(_ proxy: UpstreamProxy) -> ExchangeFailure {
        ExchangeFailure(origin: origin, kind: kind, message: "\(proxy): \(message)")
    }

    /// The proxy refused a tunnel or a request.
    static func upstream(
        _ proxy: UpstreamProxy, refused head: ResponseHead, _ target: ConnectTarget?
    ) -> ExchangeFailure {
        let place = target.map { " a tunnel to \($0.authority)" } ?? " the request"
        if head.status == 508 {
            return ExchangeFailure(
                origin: .upstream, kind: .loop,
                message: "\(proxy) refused\(place) (508): the proxies form a loop")
        }
        guard head.status == 407 else {
            return ExchangeFailure(
                origin: .upstream, kind: .connectFailed,
                message: "\(proxy) refused\(place) (\(head.status)): the proxy decided this, "
                    + "not the server")
        }
        let schemes = HTTPChallenge.all(in: head.fields, named: "Proxy-Authenticate")
            .map { $0.scheme.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") } }
        let offered = schemes.isEmpty ? "" : "; it offers " + schemes.joined(separator: ", ")
        let message =
            proxy.password == nil
            ? "asks for credentials (407), and the configuration has none for it"
            : "does not accept the configured user and password (407)"
        return ExchangeFailure(
            origin: .proxy, kind: .connectFailed, message: "\(proxy) \(message)\(offered)")
    }

    /// The handshake with the proxy failed.
    static func upstream(
        _ proxy: UpstreamProxy, _ error: ProxyHandshakeError, _ target: ConnectTarget
    ) -> ExchangeFailure {
        let reason =
            switch (error, proxy.kind) {
            case (.badDestination, .socks4a) where InternetAddress(target.host) != nil:
                "SOCKS 4 cannot reach this address; use socks5"
            default: "\(error)"
            }
        let origin: Origin =
            switch error {
            case .badDestination, .badCredential, .noAcceptableMethod, .authenticationFailed:
                .proxy
            default: .upstream
            }
        return ExchangeFailure(
            origin: origin, kind: .connectFailed,
            message: "\(proxy) did not connect to \(target.authority): \(reason)")
    }

    static func upstreamClosed(
        _ proxy: UpstreamProxy, _ target: ConnectTarget
    ) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .connectFailed,
            message: "\(proxy) closed the connection before it had answered the request for "
                + "\(target.authority)")
    }

    static func upstreamSpoke(
        _ proxy: UpstreamProxy, _ target: ConnectTarget
    ) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .connectFailed,
            message: "\(proxy) sent bytes as if from \(target.authority) before anything was "
                + "sent to it")
    }

    /// The proxy asked for other credentials when the body had been sent already.
    static func upstreamBodySent(_ proxy: UpstreamProxy) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .connectFailed,
            message: "\(proxy) asks for Digest credentials (407) after the request was sent, and "
                + "the body cannot be sent again; the next request will have them")
    }

    /// The request has passed through more proxies than a real chain has.
    static func chainTooLong(_ proxy: UpstreamProxy) -> ExchangeFailure {
        ExchangeFailure(
            origin: .client, kind: .loop,
            message: "the request came through \(HopCount.max) proxyd proxies, and \(proxy) "
                + "would be one more: they form a loop")
    }

    /// The configuration has no upstream proxy with this name.
    static func unknownUpstream(_ name: String) -> ExchangeFailure {
        ExchangeFailure(
            origin: .proxy, kind: .connectFailed,
            message: "the configuration has no upstream proxy \"\(name)\"")
    }
}
