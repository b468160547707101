internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Observes the bytes that a tunnel relays, and reports their meaning to the exchange's tap. The
/// bytes are forwarded unchanged, before the observer sees them. Confined to its loop.
protocol TunnelObserver: AnyObject {
    /// Takes bytes that one side has sent.
    func receive(_ bytes: Span<UInt8>, _ direction: MessageRecord.Direction, at now: Int64)
    /// The tunnel is over; returns how its exchange ends.
    func end(_ ending: TunnelEnding, at now: Int64) -> (ExchangeState, ExchangeFailure?)
}

/// How a tunnel ended.
enum TunnelEnding {
    /// Both sides ended; `clientFirst` is true if the client ended first.
    case ended(clientFirst: Bool)
    /// Nothing was sent for too long.
    case idle
    case failed(ExchangeFailure)

    var failure: ExchangeFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

extension ProxyWorker {
    /// Creates the observer for a protocol that a connection switched to; nil if the protocol is
    /// unknown.
    /// - Parameters:
    ///   - request: the fields of the client's opening request, as they came.
    ///   - response: the fields of the server's response.
    func observer(
        of protocolName: String, request: HeaderFields, response: HeaderFields, tap: ExchangeTap
    ) -> (any TunnelObserver)? {
        guard protocolName.lowercased() == "websocket" else { return nil }
        return WebSocketTunnelObserver(
            request: request, response: response, tap: tap,
            limits: MessageLimits(
                keptByteCountMax: min(1 << 20, configuration.bodyCaptureByteCountMax)),
            at: now)
    }
}
