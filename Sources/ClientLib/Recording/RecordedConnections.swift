internal import ProxydHTTPModel
internal import Synchronization

/// The numbers of connections in the sink. Transports count their connections from 1 on each of
/// their threads, so a connection is also identified by its addresses.
final class RecordedConnections: Sendable {
    /// More than are open at the same time; an older connection that is used again is recorded
    /// again.
    private static let knownCountMax = 4_096

    private struct Key: Hashable {
        let id: ConnectionID
        let localAddress: String
        let peerAddress: String
    }

    private let sink: any ExchangeSink
    private struct Entry {
        let id: ConnectionID
        var http2: HTTP2ConnectionFacts?
    }

    private let known = Mutex<[Key: Entry]>([:])

    init(sink: any ExchangeSink) { self.sink = sink }

    /// The number of a connection; records one that is new or about which more is known.
    func id(of connection: ConnectionRecord) -> ConnectionID {
        let key = Key(
            id: connection.id, localAddress: connection.localAddress,
            peerAddress: connection.peerAddress)
        let (id, isNews) = known.withLock { known in
            if let entry = known[key] {
                let isNews = connection.http2 != nil && connection.http2 != entry.http2
                if isNews { known[key]?.http2 = connection.http2 }
                return (entry.id, isNews)
            }
            if known.count >= RecordedConnections.knownCountMax { known = [:] }
            let id = sink.nextConnectionID()
            known[key] = Entry(id: id, http2: connection.http2)
            return (id, true)
        }
        guard isNews else { return id }
        var record = ConnectionRecord(
            id: id, side: .server, openedAt: connection.openedAt,
            peerAddress: connection.peerAddress, localAddress: connection.localAddress,
            security: connection.security)
        record.http2 = connection.http2
        sink.record(record)
        return id
    }
}
