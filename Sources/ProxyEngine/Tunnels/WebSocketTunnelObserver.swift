internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// Notes the messages of a WebSocket while it is open, whatever version of HTTP it was opened over.
final class WebSocketTunnelObserver: TunnelObserver {
    private let tap: ExchangeTap
    private let observer: WebSocketObserver

    /// Where the opening breaks a rule that the client has to close for, that is told first.
    init(
        request: HeaderFields, response: HeaderFields, tap: ExchangeTap, limits: MessageLimits,
        at now: Int64
    ) {
        self.tap = tap
        func note(_ problem: String) {
            tap.append(
                MessageRecord(
                    direction: .toClient, kind: .invalid, flags: .invalid, byteCount: 0,
                    content: .octets([]), problem: problem),
                at: now)
        }
        // Extended CONNECT has no key.
        if let key = request["Sec-WebSocket-Key"],
            !WebSocketProof.isGiven(in: response, for: key)
        {
            note("Sec-WebSocket-Accept does not fit the key that was sent (RFC 6455 §4.1)")
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

    /// After close frames of both sides it does not matter how the connection ends (RFC 6455
    /// §7.1.1); after one, the sides must end it in order. Without any it was cut.
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
