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

    @Test func `an answer that comes too late is not taken for the next one's`() throws {
        let running = try RunningServer(handler: FakeHandler(holdsClear: true))
        let client = try running.client(timeoutNs: 20_000_000)
        let error = #expect(throws: ControlError.self) { _ = try client.clear(filter: nil) }
        #expect(error?.kind == .timedOut)
        running.handler.release()
        #expect(try inTime { try client.status() }.pid == 7)
        let taken = try inTime { try client.takeIdentifiers(exchangeCount: 2, connectionCount: 0) }
        #expect(taken.exchanges.count == 2)
    }

    @Test func `a command too long for a line is not sent, and the connection lives`() throws {
        let running = try RunningServer()
        let client = try running.client()
        let filter = String(repeating: "a", count: ControlLimits.lineByteCountMax)
        let error = #expect(throws: ControlError.self) { _ = try client.clear(filter: filter) }
        #expect(error?.kind == .badMessage)
        #expect(running.handler.snapshot.cleared.isEmpty)
        #expect(try client.status().pid == 7)
    }

    @Test func `connections with long certificates are sent in lines that fit`() throws {
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

    @Test func `an import of nothing asks for nothing`() throws {
        let running = try RunningServer()
        try running.client().importExchanges(updates: [])
        #expect(running.handler.snapshot.updates.isEmpty)
    }

    @Test func `one bad update keeps all of its line out of the store`() throws {
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
                    connections: [], updates: [UpdateMessage(good), UpdateMessage(bad)]))
        }
        #expect(error?.kind == .badMessage)
        #expect(running.handler.snapshot.updates.isEmpty)
    }

    @Test func `a client that ends its side still gets the answers that it waits for`() throws {
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

    @Test func `a line without an end is no command`() throws {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        client.send(#"{"id":1,"command":{"setRecording":{"isOn":true}}}"#)
        client.end()
        #expect(client.drain() == 0)
        #expect(running.handler.snapshot.recording.isEmpty)
    }

    @Test func `a request that cannot be read has no number, and ends the connection`() throws {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        client.send("\n")
        #expect(client.line().hasPrefix(#"{"error":{"kind":"badMessage""#))
        #expect(client.drain() == 0)
        #expect(try running.client().status().pid == 7)
    }

    @Test func `a client that subscribes again gets each event once, by its last number`() throws {
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

    @Test func `events that came before are kept until they are asked for`() throws {
        let running = try RunningServer()
        let client = try running.client()
        try client.subscribe()
        for id: Int64 in 1...50 { running.server.publish(.changed(ids: [id])) }
        for _ in 1...3 { #expect(try client.status().pid == 7) }
        for id: Int64 in 1...50 {
            #expect(try client.nextEvent(timeoutNs: 10_000_000_000) == .changed(ids: [id]))
        }
    }

    @Test func `a daemon that stops closes its clients`() throws {
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
