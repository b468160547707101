public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire

/// Receives the events of a request. All calls are made on the exchange's loop, never from within a
/// call that the delegate makes to the exchange; none is made after `exchangeDidEnd` or `didFail`.
public protocol ClientExchangeDelegate: AnyObject {
    /// A connection is established and the head is being sent. Called again when the request is
    /// repeated on a new connection. `isReused` is true if the connection has carried an earlier
    /// exchange.
    func exchange(
        _ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool)
    /// The head of a forwarded request was sent and differs from the one that arrived. Called
    /// before `didConnect`, and again when the request is repeated.
    func exchange(
        _ exchange: ClientExchange, didSendHead bytes: [UInt8], notes: ForwardingNotes)
    /// An interim response arrived (RFC 9110 §15.2).
    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead)
    /// The head of the final response arrived.
    func exchange(
        _ exchange: ClientExchange, didReceive head: ResponseHead,
        body: BodyLength)
    /// Body bytes arrived, with transfer coding removed; the span is valid only during the call.
    func exchange(_ exchange: ClientExchange, didReceiveBody bytes: Span<UInt8>)
    /// Trailer fields arrived.
    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields)
    /// The server switched protocols: with 101, or with 2xx for an extended CONNECT over HTTP/2.
    /// The delegate owns the stream from here on; `early` contains the bytes that followed the
    /// head.
    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>)
    /// More of the request body can be sent after too many bytes had been queued.
    func exchangeDidDrain(_ exchange: ClientExchange)
    /// The response is complete.
    func exchangeDidEnd(_ exchange: ClientExchange)
    /// No complete response will come.
    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure)
}

extension ClientExchangeDelegate {
    /// Does nothing.
    public func exchange(
        _ exchange: ClientExchange, didSendHead bytes: [UInt8], notes: ForwardingNotes
    ) {}
}
