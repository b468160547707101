internal import ProxydHTTPModel

/// The compact record of one attempt; converted to an `Exchange` on demand.
struct AttemptRecord: Sendable {
    let number: Int
    let url: RawURL
    let head: RequestHead
    let payload: TransportRequest.Payload
    let trailers: HeaderFields?
    let replayOf: ExchangeID?
    /// The protocol that the server was asked to switch to, or nil for none.
    let upgrade: String?
    var response: ResponseHead?
    /// The response's body as received, still with content codings; only its length if the bytes
    /// are not kept.
    var body = Body()
    var report: TransportReport
    var error: ClientError?

    /// The attempt in the form of a captured exchange.
    var exchange: Exchange {
        var request = Request(url: url, head: head, trailers: trailers)
        if case .bytes(let bytes) = payload {
            request.body = Body(bytes)
        } else {
            request.body = Body(byteCount: report.sentByteCount, kept: [])
        }
        let response = response.map {
            Response(head: $0, body: body, trailers: report.trailers)
        }
        var exchange = Exchange(
            id: report.exchangeID ?? ExchangeID(rawValue: Int64(number)),
            state: error == nil ? .complete : .failed, request: request, response: response,
            informational: report.informational, timeline: report.timeline,
            server: report.connection, failure: error?.exchangeFailure, replayOf: replayOf)
        exchange.responseFault = report.responseFault
        if let head = self.response, report.isSwitch(head) { exchange.upgradedTo = upgrade }
        return exchange
    }
}

extension ClientError {
    /// The failure in the form that an exchange stores.
    var exchangeFailure: ExchangeFailure {
        let origin: ExchangeFailure.Origin =
            switch fault {
            case .caller: .client
            case .network, .server: .upstream
            case .library: .proxy
            }
        let failureKind: ExchangeFailure.Kind =
            switch kind {
            case .network(let kind): kind
            case .timedOut: .timedOut
            case .invalidURL, .invalidRequest: .malformedRequest
            case .responseTooLarge, .decodingFailed: .limitExceeded
            case .sessionDeinitialized, .sessionInvalidated: .shutdown
            case .serverTrustEvaluationFailed: .certificate
            default: .refused
            }
        return ExchangeFailure(origin: origin, kind: failureKind, message: message)
    }
}
