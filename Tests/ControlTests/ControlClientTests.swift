import ProxydControl
import ProxydHTTPModel
import Testing

/// What a client makes of a daemon's lines.
struct ControlClientTests {
    /// What a command says in the end, however often a slow machine answers it too late.
    private func inTime<Value>(_ ask: () throws -> Value) throws -> Value {
        while true {
            do {
                return try ask()
            } catch let error as ControlError where error.kind == .timedOut {
                continue
            }
        }
    }

    @Test
    func `a control client drops the late reply to a timed-out command and reads the next reply`()
        throws
    {
        let running = try RunningServer(handler: FakeHandler(holdsClear: true))
        let client = try running.client(timeoutNs: 20_000_000)
        let error = #expect(throws: ControlError.self) { _ = try client.clear(filter: nil) }
        #expect(error?.kind == .timedOut)
        running.handler.release()
        #expect(try inTime { try client.status() }.pid == 7)
        let taken = try inTime { try client.takeIdentifiers(exchangeCount: 2, connectionCount: 0) }
        #expect(taken.exchanges.count == 2)
    }

    @Test
    func `a control command longer than the limit is not sent, and the connection stays usable`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        let filter = String(repeating: "a", count: ControlLimits.lineByteCountMax)
        let error = #expect(throws: ControlError.self) { _ = try client.clear(filter: filter) }
        #expect(error?.kind == .badMessage)
        #expect(running.handler.snapshot.cleared.isEmpty)
        #expect(try client.status().pid == 7)
    }

    @Test func `imported connections with 12 MB of certificates reach the daemon unchanged`() throws
    {
        let certificate = [UInt8](repeating: 0xA5, count: 60_000)
        let records = (1...200).map { number in
            var record = ConnectionRecord(
                id: ConnectionID(rawValue: Int64(number)), side: .server, openedAt: 1,
                peerAddress: "127.0.0.1:443", localAddress: "127.0.0.1:5000")
            record.security = ConnectionRecord.Security(
                version: "TLSv1.3", cipher: nil, alpn: nil, serverName: nil,
                peerCertificates: [certificate], isResumed: false)
            return record
        }
        let running = try RunningServer()
        try running.client().importExchanges(connections: records, updates: [])
        let isWhole = running.handler.snapshot.connections == records
        #expect(isWhole)
    }

    @Test func `an import without exchanges sends no updates to the daemon`() throws {
        let running = try RunningServer()
        try running.client().importExchanges(updates: [])
        #expect(running.handler.snapshot.updates.isEmpty)
    }

    @Test func `one invalid update makes an import command fail without storing anything`() throws {
        let running = try RunningServer()
        let client = try running.client()
        let good = ExchangeUpdate(
            id: ExchangeID(rawValue: 1), state: .complete,
            timeline: Timeline(wallStart: 1, start: 1), isFirst: true)
        let bad = ExchangeUpdate(
            id: ExchangeID(rawValue: 0), state: .complete,
            timeline: Timeline(wallStart: 1, start: 1), isFirst: true)
        let error = #expect(throws: ControlError.self) {
            _ = try client.perform(
                .importExchanges(
                    connections: [], updates: [good, bad]))
        }
        #expect(error?.kind == .badMessage)
        #expect(running.handler.snapshot.updates.isEmpty)
    }

    @Test func `a control client that half-closes its connection still gets its pending replies`()
        throws
    {
        let running = try RunningServer(handler: FakeHandler(holdsClear: true))
        let client = try RawClient(path: running.directory.socketPath)
        client.send(#"{"id":1,"command":{"clear":{}}}"# + "\n")
        client.send(#"{"id":2,"command":{"setRecording":{"isOn":true}}}"# + "\n")
        #expect(client.line() == #"{"id":2,"result":{"done":{}}}"#)
        client.end()
        running.handler.release()
        #expect(client.line() == #"{"id":1,"result":{"affected":{"exchangeCount":3}}}"#)
        #expect(client.drain() == 0)
    }

    @Test func `a control command without a line end is not executed`() throws {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        client.send(#"{"id":1,"command":{"setRecording":{"isOn":true}}}"#)
        client.end()
        #expect(client.drain() == 0)
        #expect(running.handler.snapshot.recording.isEmpty)
    }

    @Test func `an empty control message gets an error reply and closes only its own connection`()
        throws
    {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        client.send("\n")
        #expect(client.line().hasPrefix(#"{"error":{"kind":"badMessage""#))
        #expect(client.drain() == 0)
        #expect(try running.client().status().pid == 7)
    }

    @Test
    func `a client that subscribes twice gets each event once, with the second request's id`()
        throws
    {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        for id in [5, 6] {
            client.send(#"{"id":\#(id),"command":{"subscribe":{}}}"# + "\n")
            #expect(client.line() == #"{"id":\#(id),"result":{"done":{}}}"#)
        }
        running.server.publish(.changed(ids: [1]))
        running.server.publish(.changed(ids: [2]))
        #expect(client.line() == #"{"event":{"changed":{"ids":[1]}},"id":6}"#)
        #expect(client.line() == #"{"event":{"changed":{"ids":[2]}},"id":6}"#)
    }

    @Test
    func `events that arrive while a control command runs are kept until the client reads them`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        try client.subscribe()
        for id: Int64 in 1...50 { running.server.publish(.changed(ids: [id])) }
        for _ in 1...3 { #expect(try client.status().pid == 7) }
        for id: Int64 in 1...50 {
            #expect(try client.nextEvent(timeoutNs: 10_000_000_000) == .changed(ids: [id]))
        }
    }

    @Test
    func `once the daemon has stopped, a control client's reads and commands throw a closed error`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        try client.subscribe()
        running.server.stop()
        for _ in 1...2 {
            let error = #expect(throws: ControlError.self) {
                _ = try client.nextEvent(timeoutNs: 10_000_000_000)
            }
            #expect(error?.kind == .closed)
        }
        let error = #expect(throws: ControlError.self) { _ = try client.status() }
        #expect(error?.kind == .closed)
    }
}
