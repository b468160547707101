internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Sending a call through an HTTP proxy without a tunnel.
extension NetworkCall {
    /// The request as it is sent, with the proxy's credentials if it goes through one.
    func message(through proxy: ProxyServer?, _ authorizer: ProxyAuthorizer) -> ForwardedRequest {
        guard let proxy else {
            return ForwardedRequest(verbatim: request.head, url: request.url, body: request.framing)
        }
        let asked = proxied(proxy)
        let credentials =
            proxyAnswer ?? authorizer.first(for: asked, of: proxy, attempts: &proxyAttempts)
        proxyAnswer = nil
        return ForwardedRequest(
            text: ProxiedHead.bytes(http1Head, target: asked.target, credentials: credentials),
            method: request.head.method, body: request.framing)
    }

    /// The head in HTTP/1.1 form, which proxies use.
    private var http1Head: RequestHead {
        guard request.head.version >= .http2 else { return request.head }
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(
            ForwardedRequest(head: request.head, url: request.url, body: request.framing),
            into: &bytes)
        return (try? HeadParser.parseWritten(bytes)) ?? request.head
    }

    /// The proxy asks for credentials: sends the request again if there are any and the body can be
    /// sent again.
    func proxyAsked(_ head: ResponseHead, _ proxy: ProxyServer, _ authorizer: ProxyAuthorizer) {
        exchange?.cancel()
        guard canSendPayloadAgain else { return refuse(head, proxy) }
        let answer = authorizer.answer(
            to: head, for: proxied(proxy), of: proxy, attempts: &proxyAttempts)
        guard let answer else { return refuse(head, proxy) }
        proxyAnswer = answer
        restart()
    }

    private func refuse(_ head: ResponseHead, _ proxy: ProxyServer) {
        end(.failed(ClientError(ProxyAuthorizer.error(for: head), of: proxy)))
    }

    private func proxied(_ proxy: ProxyServer) -> AuthenticatedRequest {
        let body: [UInt8]? =
            switch request.payload {
            case .none: []
            case .bytes(let bytes): bytes
            case .stream: nil
            }
        return AuthenticatedRequest(
            method: request.head.method,
            target: ProxiedHead.target(of: request.head, url: request.url), proxy: proxy.url,
            body: body)
    }
}

/// A request's head in the form for an HTTP proxy (RFC 9112 §3.2.2).
enum ProxiedHead {
    /// The target in absolute-form, which tells the proxy the server. A target that is neither
    /// origin-form nor `*` is unchanged.
    static func target(of head: RequestHead, url: RawURL) -> [UInt8] {
        let server = Array("\(url.scheme)://\(url.authority)".utf8)
        switch head.target.first {
        case UInt8(ascii: "/"): return server + head.target
        case UInt8(ascii: "*") where head.target.count == 1: return server
        default: return Array(head.target)
        }
    }

    /// The head's bytes with another target, and with credentials if there are any and the head has
    /// none.
    static func bytes(_ head: RequestHead, target: [UInt8], credentials: [UInt8]?) -> [UInt8] {
        var bytes = Array(head.bytes[..<head.targetRange.lowerBound])
        bytes += target
        bytes += head.bytes[head.targetRange.upperBound...]
        guard let credentials, head.fields["Proxy-Authorization"] == nil else { return bytes }
        let end: [UInt8] = bytes.suffix(2) == [0x0D, 0x0A] ? [0x0D, 0x0A] : [0x0A]
        bytes.removeLast(min(end.count, bytes.count))
        bytes += "Proxy-Authorization: ".utf8
        bytes += credentials
        bytes += end + end
        return bytes
    }
}

/// A loop transport's knowledge of proxies that require credentials. Confined to its loop.
final class ProxyAuthorizer {
    private var authenticator = ChallengeAnswerer()

    /// The credentials to send without a challenge: those that the proxy accepted before, otherwise
    /// Basic with the configured name and password, as other clients do.
    func first(
        for request: AuthenticatedRequest, of proxy: ProxyServer,
        attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        guard let credential = proxy.credential else { return nil }
        if let known = authenticator.authorization(for: request, attempts: &attempts) {
            return known
        }
        let value =
            switch credential {
            case .password(let user, let password):
                AuthorizationHeader.basic(user: user, password: password)
            case .bearer(let token): AuthorizationHeader.bearer(token: token)
            }
        guard let bytes = value.map({ Array($0.utf8) }), attempts.note(bytes) else { return nil }
        return bytes
    }

    /// The credentials that answer a 407 response, or nil if nothing is left to try.
    func answer(
        to head: ResponseHead, for request: AuthenticatedRequest, of proxy: ProxyServer,
        attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        guard let credential = proxy.credential else { return nil }
        for offer in AuthenticationOffer.all(in: head, to: request) where offer.takes(credential) {
            let value = authenticator.answer(
                offer, with: credential, for: request, attempts: &attempts)
            if let value { return value }
        }
        return nil
    }

    static func error(for head: ResponseHead) -> ProxyError {
        let challenges = AuthenticationChallenge.all(in: head.fields, from: .proxy)
        return .authenticationRequired(schemes: challenges.map(\.scheme))
    }
}
