public import ProxydEventLoops
public import ProxydHTTPModel

/// The state of a client's connection that stays the same while its layers change: CONNECT, TLS,
/// HTTP.
final class ClientConnection {
    /// When the connection was accepted, on the monotonic clock.
    let acceptedAt: Int64
    let peer: SocketAddress
    /// The address that the client connected to.
    let local: SocketAddress
    private(set) var record: ConnectionRecord
    private let sink: any ExchangeSink
    /// The client that a PROXY header names.
    private var namedPeer: SocketAddress?
    private var isAnnounced = false
    /// When the client's TLS handshake was done, on the monotonic clock; nil for plain connections.
    var tlsDoneAt: Int64?
    /// The user as whom the client has authenticated for all that follows; nil if it has not, or
    /// does so with each request.
    var user: String?
    /// The number of exchanges that have started on this connection.
    private(set) var exchangeCount = 0
    /// Why an actor ended the connection, and the events that it recorded.
    private var ending: ExchangeFailure?
    private var endingEvents: [ExchangeEvent] = []

    /// The stream below all layers if the bytes are paced.
    weak var pacedStream: PacedStream? { didSet { isPaced = true } }
    /// Whether the connection's bytes are paced, even after the stream was released.
    private(set) var isPaced = false

    init(
        sink: any ExchangeSink, peer: SocketAddress, local: SocketAddress,
        arrival: ConnectionRecord.Arrival, acceptedAt: Int64, wallNow: Int64
    ) {
        self.sink = sink
        self.peer = peer
        self.local = local
        self.acceptedAt = acceptedAt
        record = ConnectionRecord(
            id: sink.nextConnectionID(), side: .client, openedAt: wallNow,
            peerAddress: peer.description, localAddress: local.description)
        record.arrival = arrival
    }

    /// A record for a tunnel on one of this connection's HTTP/2 streams: what is spoken in it has
    /// its own TLS state and its own HTTP version.
    func forTunnel(now: Int64) -> ClientConnection {
        let tunnel = ClientConnection(
            sink: sink, record: record, peer: peer, local: local, acceptedAt: now)
        if let process = record.process { tunnel.setProcess(process) }
        tunnel.record.arrival = record.arrival
        tunnel.user = user
        tunnel.namedPeer = namedPeer
        return tunnel
    }

    private init(
        sink: any ExchangeSink, record: ConnectionRecord, peer: SocketAddress,
        local: SocketAddress, acceptedAt: Int64
    ) {
        self.local = local
        self.sink = sink
        self.peer = peer
        self.acceptedAt = acceptedAt
        self.record = ConnectionRecord(
            id: sink.nextConnectionID(), side: .client, openedAt: record.openedAt,
            peerAddress: record.peerAddress, localAddress: record.localAddress)
    }

    var id: ConnectionID { record.id }

    /// The client whose passwords are counted: the one that a load balancer names, or the peer.
    var judgedPeer: SocketAddress { namedPeer ?? peer }

    /// The name of the listener that accepted the connection.
    var listenerName: String { record.arrival?.listener ?? "" }

    /// Records the addresses that a PROXY header names.
    func setAddresses(client: SocketAddress, destination: SocketAddress) {
        namedPeer = client
        record.arrival?.proxyProtocolPeer = client.description
        record.arrival?.originalAddress = destination.description
    }

    /// Counts an exchange and records the connection; one without any request is not recorded.
    func announce() {
        exchangeCount += 1
        guard !isAnnounced else { return }
        isAnnounced = true
        sink.record(record)
    }

    func setSecurity(_ security: ConnectionRecord.Security) {
        record.security = security
        if isAnnounced { sink.record(record) }
    }

    /// Records the server name of a TLS session that is relayed unread.
    func noteServerName(_ name: String) {
        setSecurity(
            ConnectionRecord.Security(version: nil, cipher: nil, alpn: nil, serverName: name))
    }

    /// Adds HTTP/2 facts to the record.
    func append(_ news: HTTP2ConnectionFacts) {
        var facts = record.http2 ?? HTTP2ConnectionFacts()
        facts.append(news)
        record.http2 = facts
        if isAnnounced { sink.record(record) }
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
        if isAnnounced { sink.record(record) }
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
