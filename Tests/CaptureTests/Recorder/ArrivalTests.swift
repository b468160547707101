import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// How a client came, as whom, and through which proxy its server was reached.
@Suite struct `Arrivals and users` {
    let store = TemporaryStore()

    private static let arrival = ConnectionRecord.Arrival(
        listener: "office", mode: .transparent, originalAddress: "192.0.2.9:443",
        proxyProtocolPeer: "198.51.100.7:5000")

    private func record(_ recorder: Recorder, user: String?) -> ExchangeUpdate {
        var client = ConnectionRecord(
            id: recorder.nextConnectionID(), side: .client, openedAt: 1,
            peerAddress: "127.0.0.1:50000", localAddress: "127.0.0.1:8080")
        client.arrival = Self.arrival
        var server = ConnectionRecord(
            id: recorder.nextConnectionID(), side: .server, openedAt: 2,
            peerAddress: "192.0.2.1:3128", localAddress: "192.0.2.2:40000")
        server.upstream = "corp"
        recorder.record(client)
        recorder.record(server)
        var update = Samples.complete(recorder.nextExchangeID(), "/from")
        update.clientConnection = client.id
        update.serverConnection = server.id
        update.user = user
        return update
    }

    @Test func `an exchange is stored with its user, listener and upstream proxy`() throws {
        let recorder = try store.recorder()
        let update = record(recorder, user: "alice")
        recorder.record(update)
        recorder.recordSample("/plain")
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.user == "alice")
        #expect(exchange.client?.arrival == Self.arrival)
        #expect(exchange.server?.upstream == "corp")
        #expect(exchange.client?.upstream == nil)
        #expect(exchange.server?.arrival == nil)
        let rows = try store.reader().rows(.oldest, limit: 9)
        #expect(rows.map(\.user) == ["alice", nil])
        #expect(rows.map(\.listener) == ["office", nil])
        #expect(rows.map(\.upstream) == ["corp", nil])
        #expect(rows.map(\.namedClientAddress) == ["198.51.100.7:5000", nil])
        #expect(try store.sql("SELECT user FROM exchanges") == ["alice", "NULL"])
        recorder.stop()
    }

    @Test func `a user identified later is added to the exchange and kept in later updates`() throws
    {
        let recorder = try store.recorder()
        var update = record(recorder, user: nil)
        update.state = .active
        recorder.record(update)
        try recorder.flush()
        #expect(try store.sql("SELECT user FROM exchanges") == ["NULL"])
        for (state, user) in [(ExchangeState.active, "alice"), (.complete, nil)] {
            var next = ExchangeUpdate(
                id: update.id, state: state, timeline: update.timeline, isFirst: false)
            next.user = user
            recorder.record(next)
        }
        try recorder.flush()
        #expect(try store.sql("SELECT user FROM exchanges") == ["alice"])
        recorder.stop()
    }

    @Test(arguments: [
        (nil, false), ([], false), (["CN=Clients,O=Bank", "CN=Staff"], true),
    ])
    func `a server's request for a client certificate is stored`(
        authorities: [String]?, isShown: Bool
    ) throws {
        let recorder = try store.recorder()
        var server = ConnectionRecord(
            id: recorder.nextConnectionID(), side: .server, openedAt: 2,
            peerAddress: "192.0.2.1:443", localAddress: "192.0.2.2:40000")
        var security = ConnectionRecord.Security(
            version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", alpn: nil, serverName: "h.test")
        security.requestedAuthorities = authorities
        security.showsClientCertificate = isShown
        server.security = security
        recorder.record(server)
        var update = Samples.complete(recorder.nextExchangeID(), "/asked")
        update.serverConnection = server.id
        recorder.record(update)
        try recorder.flush()
        #expect(try store.reader().exchange(update.id)?.server?.security == security)
        recorder.stop()
    }

    @Test(arguments: [
        ("user=alice", 1), ("user:LIC", 1), ("user!=alice", 1), ("not user:\"\"", 1),
        ("listener=office", 1), ("listener~^off", 1), ("upstream=corp", 1), ("upstream:x", 0),
        ("client:127.0.0.1", 1), ("client:198.51.100.7", 1), ("client~^198", 1),
        ("not client:198.51.100.7", 1), ("client:203.0.113.1", 0),
    ])
    func `filters find exchanges by user, listener, upstream and client address`(
        filter: String, count: Int
    ) throws {
        let recorder = try store.recorder()
        recorder.record(record(recorder, user: "alice"))
        recorder.recordSample("/plain")
        try recorder.flush()
        let found = try store.reader().rows(matching: Filter.parse(filter), .oldest, limit: 9)
        #expect(found.count == count)
        recorder.stop()
    }
}
