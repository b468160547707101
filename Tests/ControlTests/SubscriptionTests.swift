import ProxydControl
import Testing

@Suite struct SubscriptionTests {
    @Test func `control events reach every subscribed client in order`() throws {
        let running = try RunningServer()
        let clients = [try running.client(), try running.client()]
        for client in clients { try client.subscribe() }
        let events: [ControlEvent] = [
            .changed(ids: [1, 2]), .removed(exchangeCount: 4), .recording(stoppedBecause: nil),
        ]
        for event in events { running.server.publish(event) }
        for client in clients {
            for event in events {
                #expect(try client.nextEvent(timeoutNs: 10_000_000_000) == event)
            }
        }
    }

    @Test func `a control client that did not subscribe gets no events`() throws {
        let running = try RunningServer()
        let client = try running.client()
        running.server.publish(.changed(ids: [1]))
        _ = try client.status()
        #expect(try client.nextEvent(timeoutNs: 0) == nil)
    }

    @Test func `no event is lost if a control command is sent between events`() throws {
        let running = try RunningServer()
        let client = try running.client()
        try client.subscribe()
        running.server.publish(.changed(ids: [1]))
        _ = try client.status()
        running.server.publish(.changed(ids: [2]))
        #expect(try client.nextEvent(timeoutNs: 10_000_000_000) == .changed(ids: [1]))
        #expect(try client.nextEvent(timeoutNs: 10_000_000_000) == .changed(ids: [2]))
    }

    @Test
    func `a subscribed control client that does not read is disconnected, others are served`()
        throws
    {
        let running = try RunningServer()
        let slow = try RawClient(path: running.directory.socketPath)
        slow.send(#"{"id":1,"command":{"subscribe":{}}}"# + "\n")
        #expect(slow.line().contains("done"))
        let client = try running.client()
        // Far more than the backlog and the kernel's buffers together.
        let event = ControlEvent.changed(ids: (0..<50_000).map { 1_000_000_000 + $0 })
        for _ in 0..<24 { running.server.publish(event) }
        #expect(try client.status().pid == 7)
        let received = slow.drain()
        #expect(received < 8 << 20)
    }
}
