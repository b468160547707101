internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// The client's side of HTTP/2: a connection whose streams are exchanges, each with a machine.
///
/// ```
/// open ──drain──▶ draining ──last stream ended──▶ closed      any ──error, end──▶ closed
/// ```
/// While the recorder cannot keep up, no exchange starts: what has arrived of one waits, and its
/// window is not updated.
final class HTTP2ServerConnection: HTTP2LinkOwner, DuplexStreamDelegate, ClientLayer {
    let link: HTTP2Link
    let connection: ClientConnection
    // The connection's, at hand for each request.
    let settings: LoopSettings
    let recorder: LoopRecorder
    let parts: HTTPParts
    let tunnels: TunnelParts
    let destination: InboundDestination
    /// The server connections reserved for this client connection.
    let affinity: ConnectionAffinity
    private var streams = StreamMap<HTTP2ServerStream>()
    /// Streams that still have frames to send, and the records that wait for them.
    private var sending: [(stream: StreamID, tap: ExchangeTap, ending: RecordEnding)] = []
    private var isDraining = false
    private var isClosed = false
    private var isRecorderAwaited = false
    /// When the connection last had no stream, or last sent something for streams that had ended.
    private var idleAt: Int64
    /// Servers that may turn out to support extended CONNECT, or an Upgrade in its place.
    private var awaited: [ConnectTarget] = []
    /// The server of a reverse listener whose answer decides about our settings, and until when it
    /// may; nil once they are sent.
    private var asked: (server: ConnectTarget, deadline: Int64)?
    /// The number of unsent bytes at `idleAt`.
    private var unsentByteCount = 0
    var registryIndex = -1

    init(
        stream: any DuplexStream, connection: ClientConnection,
        destination: InboundDestination, parts: HTTPParts, tunnels: TunnelParts
    ) {
        var options = HTTP2Connection.Options(.server)
        options.limits = connection.configuration.wireLimits
        options.frames = connection.configuration.http2Frames.detail
        // The bytes of frames would contain passwords.
        if case .bytes? = options.frames, parts.access.needsUser(connection, to: destination) {
            options.frames = .timeline
        }
        let server = destination.http2Target(for: connection)
        let support = server.flatMap(tunnels.transport.extendedConnect)
        options.settings.allowsExtendedConnect = support?.isUsable ?? false
        if case .reverse = destination, let server {
            options.isAnnouncedLate = tunnels.transport.learnExtendedConnect(by: server)
        }
        link = HTTP2Link(.server, over: stream, options: options)
        self.connection = connection
        settings = connection.settings
        recorder = connection.recorder
        self.parts = parts
        self.tunnels = tunnels
        self.destination = destination
        affinity = ConnectionAffinity(client: connection.id)
        idleAt = connection.now
        link.owner = self
        guard let server else { return }
        note(server)
        if options.isAnnouncedLate { ask(server) }
    }

    // MARK: DuplexStreamDelegate

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        link.stream(stream, didReceive: bytes)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        link.streamDidReachEnd(stream, isClean: isClean)
    }

    func streamDidDrain(_ stream: any DuplexStream) { link.streamDidDrain(stream) }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        link.stream(stream, didFail: error)
    }

    // MARK: Input

    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>) {
        switch event {
        case .request(let id, let head, let body): begin(id, head, body: body)
        case .malformed(let id, let message): refuse(id, message)
        case .lostHead(let id, let message): lose(id, message)
        case .body(let id, let range): streams[id]?.receive(body: input.extracting(range))
        case .trailers(let id, let trailers): streams[id]?.receive(trailers: trailers)
        case .end(let id): streams[id]?.requestEnded()
        case .reset(let id, let code, let isOurs): streams[id]?.wasReset(code, isOurs: isOurs)
        case .priorityUpdate(let id, let value): streams[id]?.receive(priority: value)
        case .settings:
            noteFacts()
            openServer()
        case .needsMoreInput, .informational, .response, .unprocessed, .goAway: break
        }
    }

    func link(_ link: HTTP2Link, didDrain id: StreamID) { streams[id]?.drained() }

    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure) {
        leave()
        for stream in streams.values { stream.vanished() }
        streams.removeAll()
    }

    // MARK: Streams

    private func begin(_ id: StreamID, _ head: RequestHead, body: BodyLength) {
        let stream = HTTP2ServerStream(id, on: self, head)
        streams.add(stream, for: id)
        stream.receive(head, body: body)
    }

    private func refuse(_ id: StreamID, _ message: MalformedMessage) {
        if let stream = streams[id] { return stream.requestBroke(message.error) }
        let stream = HTTP2ServerStream(id, on: self, nil)
        streams.add(stream, for: id)
        stream.refuse(message)
    }

    /// A field section cannot be decoded, and the connection fails because of it: the request is
    /// only recorded, whether or not the recorder has room.
    private func lose(_ id: StreamID, _ message: MalformedMessage) {
        HTTP2ServerStream(id, on: self, nil).recordRefusal(of: message)
    }

    func ended(_ stream: HTTP2ServerStream) {
        guard streams.remove(stream.id) != nil, streams.isEmpty else { return }
        idleAt = connection.now
        unsentByteCount = link.unsentByteCount ?? 0
        closeIfStopping()
    }

    /// Closes the connection if the proxy is stopping and everything for the client has been sent.
    private func closeIfStopping() {
        if isStopping, streams.isEmpty, link.unsentByteCount == nil { close() }
    }

    var isStopping: Bool { isDraining || connection.clients.isDraining }

    // MARK: Extended CONNECT

    /// At most this many servers are awaited, in the order in which requests named them.
    private static let awaitedCountMax = 16

    /// A request goes to this server. Extended CONNECT (RFC 8441) is offered to the client once a
    /// server is known to support it, or an Upgrade in its place; a request for a server that
    /// supports neither will be refused.
    func note(_ server: ConnectTarget) {
        guard !isClosed, !link.offersExtendedConnect, !awaited.contains(server) else { return }
        if tunnels.transport.extendedConnect(by: server)?.isUsable == true { return offer() }
        guard awaited.count < HTTP2ServerConnection.awaitedCountMax else { return }
        awaited.append(server)
        tunnels.transport.awaitExtendedConnect(by: server, for: self) { [weak self] in
            self?.offer()
        }
    }

    /// How long the client's first settings wait for the answer of its server.
    private static let answerNs: Int64 = 1_000_000_000

    /// The server of a reverse listener is asked before our settings are sent: a client that only
    /// opens WebSockets sends nothing before it has been offered extended CONNECT (RFC 8441 §3).
    /// What the client sends meanwhile is served.
    private func ask(_ server: ConnectTarget) {
        asked = (server, connection.now &+ HTTP2ServerConnection.answerNs)
        tunnels.transport.awaitAnswer(by: server, for: self) { [weak self] in
            guard let self else { return }
            if tunnels.transport.extendedConnect(by: server)?.isUsable == true { offer() }
            announce()
        }
    }

    private func announce() {
        guard let asked else { return }
        tunnels.transport.forgetAnswer(by: asked.server, for: self)
        self.asked = nil
        link.release()
    }

    private func offer() {
        forgetAwaited()
        link.offerExtendedConnect()
        noteFacts()
    }

    private func forgetAwaited() {
        for server in awaited { tunnels.transport.forgetExtendedConnect(by: server, for: self) }
        awaited = []
    }

    /// A client that knows that its server speaks HTTP/2 may wait for the server's settings before
    /// it sends a request. So if it does not send one immediately, the proxy connects to the server
    /// first.
    private func openServer() {
        guard case .server(let server) = destination, let prepared = server.prepared,
            let target = destination.http2Target(for: connection)
        else { return }
        connection.loop.afterDispatch { [weak self] in
            guard let self, !isClosed, streams.isEmpty else { return }
            tunnels.transport.open(prepared, to: target)
        }
    }

    // MARK: The recorder

    /// If the recorder has no room, returns true, and notifies every stream once it has.
    func pauseForRecorder() -> Bool {
        guard recorder.isCongested else { return false }
        guard !isRecorderAwaited else { return true }
        isRecorderAwaited = true
        recorder.whenDrained { [weak self] in self?.recorderDrained() }
        return true
    }

    private func recorderDrained() {
        isRecorderAwaited = false
        for stream in streams.values { stream.recorderDrained() }
    }

    // MARK: Records

    func linkDidFlush(_ link: HTTP2Link) {
        endSentRecords(link)
        guard !isClosed, streams.isEmpty else { return }
        let unsent = link.unsentByteCount ?? 0
        if unsent < unsentByteCount { idleAt = connection.now }
        unsentByteCount = unsent
        closeIfStopping()
    }

    /// Ends the record of a stream's exchange after the stream's last frame, or immediately if the
    /// connection has ended.
    func awaitDeparture(of tap: ExchangeTap, on stream: StreamID, _ ending: RecordEnding) {
        guard !isClosed else { return connection.awaitDeparture(of: tap, ending) }
        sending.append((stream, tap, ending))
    }

    private func endSentRecords(_ link: HTTP2Link) {
        guard !sending.isEmpty else { return }
        sending.removeAll { stream, tap, ending in
            guard !link.isSending(stream) else { return false }
            connection.awaitDeparture(of: tap, ending)
            return true
        }
    }

    /// Records what is known about the connection if anything has changed.
    private func noteFacts() {
        let news = link.takeFacts()
        let known = connection.record.http2
        guard
            !news.frames.isEmpty || news.peerSettings != known?.peerSettings
                || news.ourSettings != known?.ourSettings
        else { return }
        connection.append(news)
    }

    // MARK: Endings

    private func close() {
        leave()
        link.close()
    }

    private func leave() {
        guard !isClosed else { return }
        isClosed = true
        forgetAwaited()
        announce()
        noteFacts()
        for record in sending { connection.awaitDeparture(of: record.tap, record.ending) }
        sending = []
        connection.clients.remove(self)
        tunnels.transport.release(affinity)
        if case .server(let server) = destination { server.prepared?.discard() }
    }

    // MARK: Supervised

    var deadline: Int64 {
        guard !isClosed else { return .max }
        let first = asked?.deadline ?? .max
        guard !streams.isEmpty else {
            return min(first, idleAt &+ settings.configuration.idleTimeoutNs)
        }
        return streams.values.reduce(first) { min($0, $1.deadline) }
    }

    var idleSince: Int64? {
        streams.isEmpty && !link.isInsideFrame && link.unsentByteCount == nil ? idleAt : nil
    }

    func deadlinePassed(now: Int64) {
        if let asked, asked.deadline <= now { return announce() }
        guard !streams.isEmpty else { return close() }
        for stream in streams.values where stream.deadline <= now { stream.deadlinePassed() }
    }

    func drain() {
        isDraining = true
        if streams.isEmpty, link.unsentByteCount == nil { close() } else { link.drain() }
    }

    func terminate(_ reason: TerminationReason) {
        isDraining = true
        guard !streams.isEmpty else { return close() }
        for stream in streams.values { stream.terminate(reason) }
    }
}
