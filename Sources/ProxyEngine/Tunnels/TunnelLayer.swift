internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// Relays bytes between a client and a server unchanged, and counts them. An observer may also read
/// them; while the recorder has no room for its messages, neither side is read.
///
/// ```
/// open ──one side ends──▶ halfOpen ──the other ends, or idles──▶ closed
///   └── failure, deadline, shutdown ──▶ closed
/// ```
/// What a side sent before it ended is delivered before the other side is closed (RFC 9110 §9.3.6).
final class TunnelLayer: DuplexStreamDelegate, ClientLayer {
    private enum State {
        case open
        case halfOpen(endedClient: Bool)
        case closed
    }

    private let client: any DuplexStream
    private let server: any DuplexStream
    private var sentFirst: [UInt8]
    private let connection: ClientConnection
    /// The client's stream if all of it is paced; nil otherwise.
    private let pacedClient: PacedStream?
    private let tap: ExchangeTap
    private var state: State = .open
    private let pace: (any PaceActor)?
    private let observer: (any TunnelObserver)?
    private var isWaitingForRecorder = false
    private var flows: Flows?
    /// The number of directions that have not ended, or whose last bytes wait for the pace.
    private var flowingCount = 2

    private var ownDeadline: Int64
    var registryIndex = -1
    let idleSince: Int64? = nil

    /// - Parameter sentFirst: What the server has sent in the tunnel's protocol so far.
    init(
        client: any DuplexStream, server: any DuplexStream, sentFirst: [UInt8],
        connection: ClientConnection, tap: ExchangeTap,
        pace: (any PaceActor)? = nil, observer: (any TunnelObserver)? = nil
    ) {
        self.client = client
        self.server = server
        self.sentFirst = sentFirst
        self.connection = connection
        pacedClient = client as? PacedStream
        self.tap = tap
        self.pace = pace
        self.observer = observer
        ownDeadline = connection.now &+ connection.configuration.tunnelIdleTimeoutNs
    }

    /// The deadline does not run while bytes wait for the pace.
    var deadline: Int64 {
        let isFlowWaiting = flows.map { $0.upstream.isWaiting || $0.downstream.isWaiting }
        return isFlowWaiting ?? pacedClient?.isWaiting ?? false ? .max : ownDeadline
    }

    /// Starts to relay, beginning with the bytes that have already arrived.
    func start(over stream: any DuplexStream, early: Span<UInt8>) {
        client.delegate = self
        server.delegate = self
        if let pace { beginFlows(pace) }
        if early.count > 0 { relay(early, from: client, to: server) }
        let sent = sentFirst
        sentFirst = []
        if !sent.isEmpty { relay(sent.span, from: server, to: client) }
        resume(client)
        resume(server)
    }

    /// Resumes reading, unless bytes wait for the pace, the other side or the recorder.
    private func resume(_ source: any DuplexStream) {
        let isClient = source === client
        let flow = isClient ? flows?.upstream : flows?.downstream
        guard !isWaitingForRecorder, flow?.isPaused != true else { return }
        if !(isClient ? server : client).isCongested { source.resumeReading() }
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        if stream === client {
            relay(bytes, from: client, to: server)
        } else {
            relay(bytes, from: server, to: client)
        }
    }

    private func relay(
        _ bytes: Span<UInt8>, from source: any DuplexStream, to sink: any DuplexStream
    ) {
        if case .closed = state { return }
        let count = Int64(bytes.count)
        if source === client {
            tap.countRelayed(fromClient: count, fromServer: 0)
        } else {
            tap.mark(.responseFirstByte, at: connection.now)
            tap.countRelayed(fromClient: 0, fromServer: count)
        }
        extendDeadline()
        if let flows {
            (source === client ? flows.upstream : flows.downstream).push(bytes)
        } else {
            write(bytes, from: source, to: sink)
        }
        guard let observer else { return }
        observer.receive(bytes, source === client ? .toServer : .toClient, at: connection.now)
        pauseForRecorder()
    }

    /// Pauses both sides if what is relayed is recorded and the recorder has no room.
    private func pauseForRecorder() {
        guard !isWaitingForRecorder, connection.recorder.isCongested else { return }
        isWaitingForRecorder = true
        client.pauseReading()
        server.pauseReading()
        connection.recorder.whenDrained { [weak self] in self?.recorderDrained() }
    }

    private func recorderDrained() {
        isWaitingForRecorder = false
        if case .closed = state { return }
        extendDeadline()
        resume(client)
        resume(server)
    }

    private func write(
        _ bytes: Span<UInt8>, from source: any DuplexStream, to sink: any DuplexStream
    ) {
        sink.write(bytes)
        if sink.isCongested { source.pauseReading() }
    }

    private struct Flows {
        let upstream: PacedFlow
        let downstream: PacedFlow
    }

    private func beginFlows(_ pace: any PaceActor) {
        flows = Flows(
            upstream: flow(pace, .upstream, from: client, to: server),
            downstream: flow(pace, .downstream, from: server, to: client))
    }

    private func flow(
        _ pace: any PaceActor, _ direction: PaceDirection, from source: any DuplexStream,
        to sink: any DuplexStream
    ) -> PacedFlow {
        PacedFlow(
            pace, direction, on: connection.loop, note: tap.record,
            deliver: { [weak self] bytes in
                self?.extendDeadline()
                self?.write(bytes, from: source, to: sink)
            },
            setPaused: { [weak self] isPaused in
                if isPaused {
                    source.pauseReading()
                } else if !sink.isCongested, self?.isWaitingForRecorder == false {
                    source.resumeReading()
                }
            },
            breakOff: { [weak self] in self?.breakOff($0, $1) })
    }

    /// Ends the tunnel because the pace decided so.
    private func breakOff(_ end: ExchangeEnd, _ failure: ExchangeFailure) {
        switch end {
        case .close: close(.failed(failure))
        case .reset:
            finish(.failed(failure))
            client.abort()
            server.abort()
        }
    }

    private func extendDeadline() {
        let configuration = connection.configuration
        let openNs = configuration.tunnelIdleTimeoutNs
        let idle =
            switch state {
            case .halfOpen: min(openNs, configuration.halfClosedTunnelTimeoutNs)
            case .open, .closed: openNs
            }
        ownDeadline = connection.now &+ idle
    }

    func streamDidDrain(_ stream: any DuplexStream) { resume(stream === client ? server : client) }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        let isClient = stream === client
        switch state {
        case .open:
            state = .halfOpen(endedClient: isClient)
            extendDeadline()
            endDirection(from: isClient)
        case .halfOpen(let endedClient) where endedClient != isClient:
            if flows == nil { closeInOrder() } else { endDirection(from: isClient) }
        case .halfOpen, .closed: break
        }
    }

    /// Closes after both sides have ended; the client first gets the bytes that wait for it.
    private func closeInOrder() {
        guard let pacedClient else { return close(ending) }
        pacedClient.shutdownWriting()
        pacedClient.whenDelivered { [weak self] in
            guard let self else { return }
            close(ending)
        }
    }

    /// Ends one direction after all bytes that came before its end.
    private func endDirection(from isClient: Bool) {
        let sink = isClient ? server : client
        guard let flows else { return sink.shutdownWriting() }
        (isClient ? flows.upstream : flows.downstream).whenForwarded { [weak self] in
            self?.delivered(to: sink)
        }
    }

    /// The last byte of a direction has been forwarded; after that of both, the tunnel is over.
    private func delivered(to sink: any DuplexStream) {
        flowingCount -= 1
        if flowingCount == 0 { close(ending) } else { sink.shutdownWriting() }
    }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        // The other side gets the bytes queued for it and then a reset too: a broken tunnel must
        // not look complete.
        let isClient = stream === client
        let other = isClient ? server : client
        let reset = stream.byteStream?.reset
        if let reset {
            tap.setReset(isClient ? .client : .server, isOurs: reset.isOurs, reset.code)
        }
        let actors = isClient ? connection.endedByActor(recordingIn: tap) : nil
        let failure = isClient ? .clientBroke(reset) : ExchangeFailure.connectionBroke(error)
        finish(.failed(actors ?? failure))
        other.flush()
        if let reset { other.byteStream?.abort(reset.code) }
        other.abort()
    }

    /// How the tunnel ends once both sides have ended.
    private var ending: TunnelEnding {
        if case .halfOpen(let endedClient) = state { return .ended(clientFirst: endedClient) }
        return .ended(clientFirst: false)
    }

    private func close(_ ending: TunnelEnding) {
        if case .closed = state { return }
        finish(ending)
        client.close()
        server.close()
    }

    private func finish(_ ending: TunnelEnding) {
        if case .closed = state { return }
        state = .closed
        ownDeadline = .max
        flows?.upstream.cancel()
        flows?.downstream.cancel()
        flows = nil
        let (state, failure) =
            observer?.end(ending, at: connection.now) ?? (.tunnel, ending.failure)
        tap.end(state, failure: failure, at: connection.now)
        connection.clients.remove(self)
    }

    func deadlinePassed(now: Int64) { close(.idle) }

    func drain() {}

    func terminate(_ reason: TerminationReason) { close(.failed(.terminated(reason))) }
}

extension DuplexStream {
    /// The HTTP/2 stream that carries it; nil if there is none.
    fileprivate var byteStream: HTTP2ByteStream? {
        let carrier: any DuplexStream = (self as? PacedStream)?.base ?? self
        return carrier as? HTTP2ByteStream
    }
}

/// Observes the bytes that a tunnel relays, and reports their meaning to the exchange's tap. The
/// bytes are forwarded unchanged; the observer sees them when they arrive. Confined to its loop.
protocol TunnelObserver: AnyObject {
    func receive(_ bytes: Span<UInt8>, _ direction: MessageRecord.Direction, at now: Int64)
    /// The tunnel is over; returns how its exchange ends.
    func end(_ ending: TunnelEnding, at now: Int64) -> (ExchangeState, ExchangeFailure?)
}

/// How a tunnel ended.
enum TunnelEnding {
    /// Both sides ended; `clientFirst` is true if the client ended first.
    case ended(clientFirst: Bool)
    case idle
    case failed(ExchangeFailure)

    var failure: ExchangeFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

extension ClientConnection {
    /// Creates the observer for a protocol that a connection switched to; nil if it is unknown.
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
        // An extended CONNECT has no Sec-WebSocket-Key.
        if let key = request["Sec-WebSocket-Key"],
            !WebSocketProof.isGiven(in: response, for: key)
        {
            let problem =
                "Sec-WebSocket-Accept does not match the key that was sent (RFC 6455 §4.1)"
            tap.append(.invalid(.toClient, problem), at: now)
        }
        observer = WebSocketObserver(request: request, response: response, limits: limits) {
            tap.append($0, at: now)
        }
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
