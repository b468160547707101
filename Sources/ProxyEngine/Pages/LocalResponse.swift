internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A response that the proxy makes by itself: errors and its own pages.
///
/// Its text is fixed or made of our own words; nothing a client sent is repeated in it, so a page
/// can carry no markup of somebody else's.
struct LocalResponse {
    let status: Int
    let reason: String
    let contentType: String
    let body: [UInt8]
    /// Fields beside the usual ones.
    var fields: [(name: String, value: String)] = []

    /// A plain-text response.
    init(status: Int, reason: String, text: String) {
        self.init(
            status: status, reason: reason, contentType: "text/plain; charset=utf-8",
            body: Array("\(text)\n".utf8))
    }

    init(status: Int, reason: String, contentType: String, body: [UInt8]) {
        self.status = status
        self.reason = reason
        self.contentType = contentType
        self.body = body
    }

    /// The head that goes out.
    func head(isPersistent: Bool) -> ResponseHead {
        var all = HeaderFields([
            ("Content-Type", contentType),
            ("Content-Length", String(body.count)),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ])
        for field in fields { all.append(name: field.name, value: field.value) }
        if !isPersistent { all.append(name: "Connection", value: "close") }
        return ResponseHead(status: status, reason: reason, fields: all)
    }

    /// Head and body as they go out; a response to HEAD has no body (RFC 9110 §9.3.2).
    func octets(requestMethod: HTTPMethod, isPersistent: Bool) -> [UInt8] {
        let head = head(isPersistent: isPersistent).octets
        return requestMethod == .head ? head : head + body
    }

    /// The response as what is to be sent, whatever version of HTTP is spoken.
    func forwarded(isPersistent: Bool) -> ForwardedResponse {
        ForwardedResponse(
            head: head(isPersistent: isPersistent), body: .exactly(UInt64(body.count)))
    }

    /// Notes in the record what a client got in answer to a method, with its head where that is
    /// not the one of HTTP/1.
    func record(in tap: ExchangeTap, to method: HTTPMethod, head: ResponseHead? = nil) {
        tap.setResponse(head ?? self.head(isPersistent: false))
        if method != .head { tap.appendAnswer(body.span) }
    }

    /// Notes in the record what a client gets.
    func record(in tap: ExchangeTap, for client: any ClientStream) {
        record(
            in: tap, to: client.requestMethod,
            head: client.recordedHead(of: forwarded(isPersistent: false)))
    }

    /// Notes in the record that a client gets this, and not the response that came.
    func recordSent(in tap: ExchangeTap, for client: any ClientStream) {
        let head = client.recordedHead(of: forwarded(isPersistent: false))
        tap.record(.sentResponseHead(head.octets))
        if client.requestMethod != .head { tap.record(.sentResponseBody(body)) }
    }
}

extension LocalResponse {
    /// A request that breaks HTTP's rules.
    static func badRequest(_ error: WireError) -> LocalResponse {
        LocalResponse(
            status: error.suggestedStatus, reason: StatusReason.text(of: error.suggestedStatus),
            text: "proxyd: the request is not valid: \(error.message)")
    }

    /// A server that gave no usable response.
    static func badGateway(_ failure: ExchangeFailure) -> LocalResponse {
        let status =
            switch failure.kind {
            case .timedOut: 504
            case .loop: 508
            case .refused: failure.origin == .upstream ? 501 : 403
            case .overloaded, .shutdown: 503
            default: 502
            }
        return LocalResponse(
            status: status, reason: StatusReason.text(of: status),
            text: "proxyd: \(failure.message)")
    }

    static let connectPortRefused = LocalResponse(
        status: 403, reason: "Forbidden",
        text: "proxyd: CONNECT to this port is not allowed by the configuration")

    static let pageRefused = LocalResponse(
        status: 403, reason: "Forbidden",
        text: "proxyd: this page is shown under the proxy's own name only; see http://proxyd.local/"
    )

    static let requestTimeout = LocalResponse(
        status: 408, reason: "Request Timeout",
        text: "proxyd: the request head did not come in time")
}
