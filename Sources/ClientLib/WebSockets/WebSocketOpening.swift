internal import FoundationEssentials
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// A client's opening handshake (RFC 6455 §4.1).
struct WebSocketOpening {
    /// The result of the handshake.
    struct Agreement {
        /// The selected subprotocol, or nil for none.
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
