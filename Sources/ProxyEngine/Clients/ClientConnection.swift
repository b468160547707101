public import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydMessages

/// The state of a client's connection that stays the same while its layers change: CONNECT, TLS,
/// HTTP; with what they share with other connections of their loop.
final class ClientConnection {
    /// The connections of its loop, of which its layer is one.
    let clients: ClientRegistry
    let settings: LoopSettings
    let recorder: LoopRecorder
    let loop: EventLoop
    /// When the connection was accepted, on the monotonic clock.
    let acceptedAt: Int64
    let peer: SocketAddress
    /// The address that the client connected to.
    let local: SocketAddress
    // Exclusive: a value whose members call nothing.
    @exclusivity(unchecked) private(set) var record: ConnectionRecord
    /// The client that a PROXY header names.
    private var namedPeer: SocketAddress?
    private var isAnnounced = false
    /// When the client's TLS handshake was done, on the monotonic clock; nil for plain connections.
    var tlsDoneAt: Int64?
    /// The user as whom the client has authenticated for all that follows; nil if it has not, or
    /// does so with each request.
    var user: String?
    /// Why an actor ended the connection, and the events that it recorded.
    private var ending: ExchangeFailure?
    private var endingEvents: [ExchangeEvent] = []

    /// The stream below all layers if the bytes are paced.
    weak var pacedStream: PacedStream? { didSet { isPaced = true } }
    /// Whether the connection's bytes are paced, even after the stream was released.
    private(set) var isPaced = false

    init(
        among clients: ClientRegistry, settings: LoopSettings, recorder: LoopRecorder,
        peer: SocketAddress, local: SocketAddress, arrival: ConnectionRecord.Arrival
    ) {
        self.clients = clients
        self.settings = settings
        self.recorder = recorder
        loop = recorder.loop
        self.peer = peer
        self.local = local
        acceptedAt = loop.now
        record = ConnectionRecord(
            id: recorder.sink.nextConnectionID(), side: .client, openedAt: EventLoop.wallNow(),
            peerAddress: peer.description, localAddress: local.description)
        record.arrival = arrival
    }

    /// A record for a tunnel on one of this connection's HTTP/2 streams: what is spoken in it has
    /// its own TLS state and its own HTTP version.
    func forTunnel() -> ClientConnection { ClientConnection(tunnelOn: self) }

    private init(tunnelOn other: ClientConnection) {
        clients = other.clients
        settings = other.settings
        recorder = other.recorder
        loop = other.loop
        local = other.local
        peer = other.peer
        acceptedAt = other.now
        record = ConnectionRecord(
            id: recorder.sink.nextConnectionID(), side: .client, openedAt: other.record.openedAt,
            peerAddress: other.record.peerAddress, localAddress: other.record.localAddress)
        record.process = other.record.process
        record.arrival = other.record.arrival
        user = other.user
        namedPeer = other.namedPeer
    }

    var id: ConnectionID { record.id }
    var configuration: EngineConfiguration { settings.configuration }
    var now: Int64 { loop.now }

    /// The client whose passwords are counted: the one that a load balancer names, or the peer.
    var judgedPeer: SocketAddress { namedPeer ?? peer }

    var listenerName: String { record.arrival?.listener ?? "" }

    /// Records the addresses that a PROXY header names.
    func setAddresses(client: SocketAddress, destination: SocketAddress) {
        namedPeer = client
        record.arrival?.proxyProtocolPeer = client.description
        record.arrival?.originalAddress = destination.description
    }

    /// Opens the record of an exchange that starts now. The first one also records the connection:
    /// one without any request is not recorded.
    /// - Parameters:
    ///   - firstByteAt: On the monotonic clock.
    ///   - events: What was done to the tunnel that the exchange is in.
    func openTap(firstByteAt: Int64, events: [ExchangeEvent] = []) -> ExchangeTap {
        // The anchor pairs both clocks at one instant; the exchange started slightly earlier.
        let elapsed = EventLoop.monotonicNow() &- firstByteAt
        var timeline = Timeline(wallStart: EventLoop.wallNow() &- elapsed, start: firstByteAt)
        if !isAnnounced {
            isAnnounced = true
            recorder.sink.record(record)
            timeline.markOnce(.clientConnected, at: acceptedAt)
            if let tlsDoneAt { timeline.markOnce(.clientTLSDone, at: tlsDoneAt) }
        }
        timeline.markOnce(.requestFirstByte, at: firstByteAt)
        let tap = recorder.openTap(of: id, timeline)
        if let user { tap.setUser(user) }
        for event in events { tap.record(event) }
        if isPaced { tap.departure = self }
        return tap
    }

    func setSecurity(_ security: ConnectionRecord.Security) {
        record.security = security
        if isAnnounced { recorder.sink.record(record) }
    }

    /// Records the server name of a TLS session that is relayed unread.
    func noteServerName(_ name: String) {
        setSecurity(
            ConnectionRecord.Security(version: nil, cipher: nil, alpn: nil, serverName: name))
    }

    func append(_ news: HTTP2ConnectionFacts) {
        var facts = record.http2 ?? HTTP2ConnectionFacts()
        facts.append(news)
        record.http2 = facts
        if isAnnounced { recorder.sink.record(record) }
    }

    // MARK: Ended by an actor

    func noteEnding(_ event: ExchangeEvent) { endingEvents.append(event) }

    func noteEnding(because failure: ExchangeFailure) { ending = failure }

    /// Records the actor's events in the given tap and returns why the actor ended the connection,
    /// or nil if it did not.
    func endedByActor(recordingIn tap: ExchangeTap) -> ExchangeFailure? {
        for event in endingEvents { tap.record(event) }
        return ending
    }

    func setProcess(_ process: ConnectionRecord.ClientProcess) {
        record.process = process
        if isAnnounced { recorder.sink.record(record) }
    }
}

/// If the connection is paced, bytes leave when they have passed the pace.
extension ClientConnection: DepartureWatch {
    func awaitDeparture(of tap: ExchangeTap, _ ending: RecordEnding) {
        guard ending.state == .complete, let pacedStream else { return tap.departed(ending) }
        let loop = pacedStream.loop
        pacedStream.whenSettled { [self] cut in
            let loss = cut.map { endedByActor(recordingIn: tap) ?? $0 }
            tap.departed(
                RecordEnding(state: loss == nil ? .complete : .failed, failure: loss, at: loop.now))
        }
    }
}

/// Finds out which local program opened a connection, off the event loop.
public protocol ClientIdentifier: AnyObject, Sendable {
    /// Looks up the program that owns a client's address; calls back on any thread, with nil if it
    /// cannot be found.
    func identify(
        client: SocketAddress, proxy: SocketAddress,
        completion: @escaping @Sendable (ConnectionRecord.ClientProcess?) -> Void)
}
