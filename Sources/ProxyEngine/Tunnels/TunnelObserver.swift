internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Watches what a tunnel relays, and tells the exchange's tap what it means. The bytes go on
/// unchanged, and before it sees them. Confined to its loop.
protocol TunnelObserver: AnyObject {
    /// Bytes have come from a side.
    func receive(_ bytes: Span<UInt8>, _ direction: MessageRecord.Direction, at now: Int64)
    /// The tunnel is over; says how its exchange ends.
    func end(_ ending: TunnelEnding, at now: Int64) -> (ExchangeState, ExchangeFailure?)
}

/// How a tunnel ended.
enum TunnelEnding {
    /// Both sides ended, the client first or the server.
    case ended(clientFirst: Bool)
    /// Nothing was said for too long.
    case idle
    case failed(ExchangeFailure)
}

extension ProxyWorker {
    /// What watches a connection that has switched to a protocol; nil where that is not known.
    /// - Parameters:
    ///   - request: the fields of the client's opening, as they came.
    ///   - response: the fields of the server's.
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
