internal import ProxydHTTPModel
internal import Synchronization

/// The numbers that connections have in the sink. Transports count theirs from 1 on each of their
/// threads, so a connection is known by its addresses, too.
final class RecordedConnections: Sendable {
    /// More than are open at a time; an older connection that comes back is recorded anew.
    private static let knownCountMax = 4_096

    private struct Key: Hashable {
        let id: ConnectionID
        let localAddress: String
        let peerAddress: String
    }

    private let sink: any ExchangeSink
    private let known = Mutex<[Key: ConnectionID]>([:])

    init(sink: any ExchangeSink) { self.sink = sink }

    /// The number of a connection; records one that is new.
    func id(of connection: ConnectionRecord) -> ConnectionID {
        let key = Key(
            id: connection.id, localAddress: connection.localAddress,
            peerAddress: connection.peerAddress)
        let (id, isNew) = known.withLock { known in
            if let id = known[key] { return (id, false) }
            if known.count >= RecordedConnections.knownCountMax { known = [:] }
            let id = sink.nextConnectionID()
            known[key] = id
            return (id, true)
        }
        guard isNew else { return id }
        sink.record(
            ConnectionRecord(
                id: id, side: .server, openedAt: connection.openedAt,
                peerAddress: connection.peerAddress, localAddress: connection.localAddress,
                security: connection.security))
        return id
    }
}
