internal import ProxydEventLoops
internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport
internal import WireSupport

/// Hears of one exchange, and checks that it hears things in the order that is promised.
final class CheckedDelegate: ClientExchangeDelegate {
    private enum Phase { case waiting, connected, body, trailers, over }

    private var phase = Phase.waiting
    /// The response as it was handed over.
    private(set) var head: ResponseHead?
    private(set) var body: [UInt8] = []
    private(set) var isComplete = false
    private(set) var switched: (any DuplexStream)?
    /// Set by whoever gives the exchange up.
    var isCancelled = false

    var isOver: Bool { phase == .over || isCancelled }

    private func check(_ allowed: Phase...) {
        require(!isCancelled, "an exchange that was given up is heard of")
        require(allowed.contains(phase), "\(phase) and not one of \(allowed)")
    }

    func exchange(
        _ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool
    ) {
        check(.waiting, .connected)
        phase = .connected
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        check(.connected)
        require(head.status / 100 == 1 && head.status != 101, "\(head.status) is not interim")
        FieldChecks.checkWellFormed(head.fields)
    }

    func exchange(
        _ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength
    ) {
        check(.connected)
        phase = .body
        self.head = head
        FieldChecks.checkWellFormed(head.fields)
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody bytes: Span<UInt8>) {
        check(.body)
        require(bytes.count > 0, "nothing is handed over")
        bytes.withUnsafeBufferPointer { body.append(contentsOf: $0) }
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        check(.body)
        phase = .trailers
        FieldChecks.checkWellFormed(trailers)
    }

    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>
    ) {
        check(.connected)
        require(head.status == 101, "\(head.status) switches protocols")
        phase = .over
        switched = stream
    }

    func exchangeDidDrain(_ exchange: ClientExchange) {
        require(phase != .over && !isCancelled, "an exchange that is over drains")
    }

    func exchangeDidEnd(_ exchange: ClientExchange) {
        check(.body, .trailers)
        phase = .over
        isComplete = true
    }

    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure) {
        check(.waiting, .connected, .body, .trailers)
        phase = .over
    }
}
