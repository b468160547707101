internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Sending a call through an HTTP proxy without a tunnel.
extension NetworkCall {
    /// The request as it is sent, with the proxy's credentials if it goes through one.
    func message(
        through proxy: ProxyServer?, _ authorizer: ProxyAuthorizer
    ) -> ForwardedRequest {
        guard let proxy else {
            return ForwardedRequest(
                verbatim: request.head, url: request.url, body: request.framing)
        }
        let asked = proxied(proxy)
        let credentials =
            proxyAnswer ?? authorizer.first(for: asked, of: proxy, attempts: &proxyAttempts)
        proxyAnswer = nil
        return ForwardedRequest(
            text: ProxiedHead.bytes(
                http1Head, target: asked.target, credentials: credentials),
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
    func proxyAsked(
        _ head: ResponseHead, _ proxy: ProxyServer, _ authorizer: ProxyAuthorizer
    ) {
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
