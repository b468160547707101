public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire

/// Hears what becomes of a request. All calls come on the exchange's loop, never from within the
/// delegate's own call of a method of the exchange; after `didEnd` or `didFail` none comes.
public protocol ClientExchangeDelegate: AnyObject {
    /// A connection stands and the head is on its way. Comes again when the request is repeated
    /// on a fresh connection. `isReused` says whether it has served an exchange before this one.
    func exchange(
        _ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool)
    /// The head of a forwarded request was sent and is not just what came. Comes before
    /// `didConnect`, and again when the request is repeated.
    func exchange(
        _ exchange: ClientExchange, didSendHead octets: [UInt8], notes: ForwardingNotes)
    /// An interim response came (RFC 9110 §15.2).
    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead)
    /// The final response's head came.
    func exchange(
        _ exchange: ClientExchange, didReceive head: ResponseHead,
        body: BodyLength)
    /// Body octets came, transfer-coding removed; the span is valid during the call only.
    func exchange(_ exchange: ClientExchange, didReceiveBody octets: Span<UInt8>)
    /// Trailer fields came.
    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields)
    /// The server switched protocols: with 101, or with 2xx where it was asked by extended CONNECT
    /// over HTTP/2. The stream is the delegate's from here on, and `early` are octets that came
    /// behind the head.
    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>)
    /// More request body can be taken after `queuedByteCount` had been too much.
    func exchangeDidDrain(_ exchange: ClientExchange)
    /// The response is complete.
    func exchangeDidEnd(_ exchange: ClientExchange)
    /// No complete response will come.
    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure)
}

extension ClientExchangeDelegate {
    /// Who forwards nothing does not hear of it.
    public func exchange(
        _ exchange: ClientExchange, didSendHead octets: [UInt8], notes: ForwardingNotes
    ) {}
}
