internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// Records the messages of an open WebSocket, whatever HTTP version it was opened over.
final class WebSocketTunnelObserver: TunnelObserver {
    private let tap: ExchangeTap
    private let observer: WebSocketObserver

    /// If the opening handshake breaks a rule for which the client must close, records that first.
    init(
        request: HeaderFields, response: HeaderFields, tap: ExchangeTap, limits: MessageLimits,
        at now: Int64
    ) {
        self.tap = tap
        func note(_ problem: String) {
            tap.append(
                MessageRecord(
                    direction: .toClient, kind: .invalid, flags: .invalid, byteCount: 0,
                    content: .bytes([]), problem: problem),
                at: now)
        }
        // An extended CONNECT has no Sec-WebSocket-Key.
        if let key = request["Sec-WebSocket-Key"],
            !WebSocketProof.isGiven(in: response, for: key)
        {
            note("Sec-WebSocket-Accept does not match the key that was sent (RFC 6455 §4.1)")
        }
        var agreement = WebSocketAgreement()
        do throws(WebSocketAgreement.Fault) {
            agreement = try WebSocketAgreement(request: request, response: response)
        } catch {
            note(error.description)
        }
        observer = WebSocketObserver(agreement: agreement, limits: limits)
    }

    func receive(_ bytes: Span<UInt8>, _ direction: MessageRecord.Direction, at now: Int64) {
        observer.receive(bytes, direction) { tap.append($0, at: now) }
    }

    /// If both sides sent close frames, it does not matter how the connection ends (RFC 6455
    /// §7.1.1); if one did, both sides must end it cleanly. Without any close frame, it was cut
    /// off.
    func end(_ ending: TunnelEnding, at now: Int64) -> (ExchangeState, ExchangeFailure?) {
        observer.end { tap.append($0, at: now) }
        if observer.isClosedCleanly { return (.complete, nil) }
        switch ending {
        case .ended where observer.isClosing: return (.complete, nil)
        case .ended(let clientFirst):
            return (.failed, .endedWithoutClose(clientFirst ? .client : .upstream))
        case .idle: return (.failed, .tunnelIdle)
        case .failed(let failure): return (.failed, failure)
        }
    }
}
