public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport
internal import FoundationEssentials

extension Session {
    /// Creates a WebSocket. The URL's scheme is `ws`, `wss`, `http` or `https`.
    ///
    /// It is opened over HTTP/1.1, and through a tunnel if the session has a proxy. `protocols`, if
    /// any, override those of the configuration.
    public func webSocketRequest(
        _ url: some URLConvertible, protocols: [String] = [], headers: HeaderFields? = nil,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        webSocketRequest(interceptor, configuration.offering(protocols)) {
            try Session.webSocketOpening(url, headers, requestModifier)
        }
    }

    /// Creates a WebSocket with parameters, which are added to the query.
    public func webSocketRequest<Values: Encodable & Sendable>(
        _ url: some URLConvertible, parameters: Values?,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        protocols: [String] = [], headers: HeaderFields? = nil,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> WebSocketRequest {
        webSocketRequest(interceptor, configuration.offering(protocols)) {
            let opening = try Session.webSocketOpening(url, headers, requestModifier)
            return try encoder.encode(parameters, into: opening)
        }
    }

    /// Creates a WebSocket from an existing opening request: a GET without a body.
    public func webSocketRequest(
        _ convertible: some RequestConvertible,
        configuration: WebSocketRequest.Configuration = .default,
        interceptor: (any RequestInterceptor)? = nil
    ) -> WebSocketRequest {
        webSocketRequest(interceptor, configuration) { try convertible.asRequest() }
    }

    private static func webSocketOpening(
        _ url: some URLConvertible, _ headers: HeaderFields?, _ modifier: RequestModifier?
    ) throws -> HTTPRequest {
        var request = HTTPRequest(url: try WebSocketURL.read(url))
        request.fields = headers ?? HeaderFields()
        try modifier?(&request)
        return request
    }

    private func webSocketRequest(
        _ interceptor: (any RequestInterceptor)?, _ configuration: WebSocketRequest.Configuration,
        build: @escaping @Sendable () async throws -> HTTPRequest
    ) -> WebSocketRequest {
        let conversation = WebSocketConversation(configuration)
        let shared = RequestCore(host: core, consumer: conversation, build: build)
        return core.adopt(WebSocketRequest(shared, conversation), interceptor)
    }
}

extension WebSocketRequest.Configuration {
    /// The same configuration with these protocols, if there are any.
    fileprivate func offering(_ protocols: [String]) -> Self {
        var configuration = self
        if !protocols.isEmpty { configuration.protocols = protocols }
        return configuration
    }
}

/// URLs of WebSockets (RFC 6455 §3): `ws` means `http`, `wss` means `https`.
enum WebSocketURL {
    static func read(_ url: some URLConvertible) throws(ClientError) -> RawURL {
        guard let text = text(of: url) else { return try url.asURL() }
        for (scheme, other) in [("ws", "http"), ("wss", "https")]
        where text.prefix(scheme.count + 3).lowercased() == scheme + "://" {
            return try RawURL(other + text.dropFirst(scheme.count))
        }
        return try RawURL(text)
    }

    /// The text of a URL that may be a WebSocket's, or nil for a `RawURL` and for a program's own
    /// URL types, which never are.
    private static func text(of url: some URLConvertible) -> String? {
        switch url {
        case let text as String: text
        case let url as URL: url.absoluteString
        case let parts as URLComponents: parts.string
        default: nil
        }
    }
}

/// A client's opening handshake (RFC 6455 §4.1).
struct WebSocketOpening {
    struct Agreement {
        var subprotocol: String?
        /// The negotiated compression, or nil if messages are not compressed.
        var compression: PermessageDeflate?
    }

    /// The request's fields, which contain the offers.
    let fields: HeaderFields

    /// Adds the fields that open a WebSocket to a request, unless it already has them.
    static func prepare(
        _ request: inout HTTPRequest, _ configuration: WebSocketRequest.Configuration
    ) {
        request.upgrade = "websocket"
        request.wantsTunnel = true
        let protocols = request.protocols ?? configuration.httpProtocols
        request.protocols = protocols
        var fields = request.fields
        func add(_ name: String, _ value: String) {
            if fields[name] == nil {
                fields.append(name: Array(name.utf8), value: Array(value.utf8))
            }
        }
        if !protocols.mayBeHTTP2(isSecure: request.url.scheme == "https") {
            add("Upgrade", "websocket")
            add("Connection", "Upgrade")
            add("Sec-WebSocket-Key", newKey())
        }
        add("Sec-WebSocket-Version", WebSocketHandshake.version)
        if !configuration.protocols.isEmpty {
            add("Sec-WebSocket-Protocol", configuration.protocols.joined(separator: ", "))
        }
        if configuration.offersCompression {
            add("Sec-WebSocket-Extensions", PermessageDeflateOffer().value)
        }
        request.fields = fields
    }

    /// What the server agreed to in a response that opens the WebSocket.
    /// - Throws: `.webSocketFailed(.badHandshake)`.
    func agreement(in head: ResponseHead) throws(ClientError) -> Agreement {
        // Without a key here, the transport did the handshake: with extended CONNECT, which needs
        // no proof, or with its own key, whose proof it has checked.
        if let key = fields["Sec-WebSocket-Key"] {
            try check(head, "Upgrade") { $0.lowercased() == "websocket" }
            try check(head, "Connection") { value in
                value.split(separator: ",").contains { element in
                    element.filter { $0 != " " && $0 != "\t" }.lowercased() == "upgrade"
                }
            }
            try check(head, "Sec-WebSocket-Accept") { _ in
                WebSocketProof.isGiven(in: head.fields, for: key)
            }
        }
        return Agreement(
            subprotocol: try subprotocol(in: head), compression: try compression(in: head))
    }

    /// 16 random bytes in base64 (RFC 6455 §4.1).
    private static func newKey() -> String {
        Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    private func check(
        _ head: ResponseHead, _ name: String, _ isRight: (String) -> Bool
    ) throws(ClientError) {
        let value = head.fields.values(named: name).joined(separator: ",")
        guard isRight(value) else {
            throw ClientError(.webSocketFailed(.badHandshake(field: name)))
        }
    }

    /// One of the offered subprotocols, or nil for none.
    private func subprotocol(in head: ResponseHead) throws(ClientError) -> String? {
        let name = "Sec-WebSocket-Protocol"
        let chosen = head.fields.values(named: name)
        guard let first = chosen.first else { return nil }
        let offered = fields.values(named: name).flatMap { $0.split(separator: ",") }
            .map { String($0.filter { $0 != " " && $0 != "\t" }) }
        guard chosen.count == 1, offered.contains(first) else {
            throw ClientError(.webSocketFailed(.badHandshake(field: name)))
        }
        return first
    }

    /// Nil, or permessage-deflate with parameters that were offered (RFC 7692 §5.1).
    private func compression(in head: ResponseHead) throws(ClientError) -> PermessageDeflate? {
        do throws(WebSocketAgreement.Fault) {
            let agreed = try WebSocketAgreement(request: fields, response: head.fields)
            if !agreed.hasOtherExtensions { return agreed.deflate }
        } catch {
            // Rejected below: the exact fault makes no difference to a program.
        }
        throw ClientError(.webSocketFailed(.badHandshake(field: "Sec-WebSocket-Extensions")))
    }
}
