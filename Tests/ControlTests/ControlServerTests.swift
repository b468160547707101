import Foundation
import ProxydCaptureModel
import ProxydControl
import ProxydHTTPModel
import ProxydRules
import Testing

@Suite struct ControlServerTests {
    @Test func `the control client gets the daemon's upstream server rules as they are configured`()
        throws
    {
        let running = try RunningServer()
        let rules = try running.client().serverRules()
        #expect(rules.extraCAFiles == ["/etc/ca.pem"])
        #expect(rules.unverifiedHosts == ["*.test:8443"])
        #expect(rules.deniedNetworks == ["10.0.0.0/8"])
    }

    @Test func `commands to commit finished exchanges reach the control handler`() throws {
        let running = try RunningServer()
        let client = try running.client()
        try client.commit()
        try client.commit()
        #expect(running.handler.snapshot.commitCount == 2)
    }

    @Test func `the status command of the control protocol returns the daemon's status`() throws {
        let running = try RunningServer()
        let status = try running.client().status()
        #expect(status.version == "1.0")
        #expect(status.pid == 7)
        #expect(status.listenAddresses == ["127.0.0.1:8080"])
        #expect(status.recordingStoppedBecause == "disk full")
        #expect(status.residentByteCount == nil)
    }

    @Test
    func `rule changes reach the daemon's control handler unchanged; errors reach the client`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        let changes: [RuleChange] = [
            .add(name: "a", lines: "[[rule]]\n\"\u{0}\n", place: .before("b")),
            .add(name: "c", lines: "", place: .after("a")),
            .replace(name: "a", lines: "x"), .setFilter(name: "a", filter: "host=b"),
            .switchRule(name: "a", isOn: false), .switchGroup(name: "g", isOn: true),
            .move(name: "a", place: .first), .move(name: "b", place: .last),
            .remove(name: "a"),
        ]
        let messages = changes.map(RulesUpdate.change) + [.forgetAll]
        for change in messages {
            let rules = try client.changeRules(change)
            #expect(rules.rules.map(\.isTemporary) == [true])
            #expect(rules.text == "# \u{2028}\n")
        }
        #expect(running.handler.snapshot.ruleChanges == messages)
        let error = #expect(throws: ControlError.self) {
            _ = try client.changeRules(.change(.remove(name: "none")))
        }
        #expect(error == ControlError(.badRules, "first\nsecond"))
    }

    @Test
    func `clear and annotate commands reach the control handler; clear returns the deleted count`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        #expect(try client.clear(filter: "host:a") == 3)
        #expect(try client.clear(filter: nil) == 3)
        let change = AnnotationChange(
            id: ExchangeID(rawValue: 9), note: "a\nb", addedTags: ["x"], removedTags: ["y"],
            isPinned: true)
        try client.annotate(change)
        #expect(running.handler.snapshot.cleared == ["host:a", nil])
        #expect(running.handler.snapshot.changes == [change])
    }

    @Test
    func `a shipper's progress reaches the control handler, but negative positions are rejected`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        let sent = [
            DeliveryProgress(through: 0, mark: .min, changesThrough: 0),
            DeliveryProgress(through: .max, mark: .max, changesThrough: 7),
        ]
        for progress in sent { try client.noteDelivery(progress) }
        for (through, changesThrough) in [(Int64(-1), Int64(0)), (0, -1)] {
            let error = #expect(throws: ControlError.self) {
                try client.noteDelivery(
                    DeliveryProgress(through: through, mark: 0, changesThrough: changesThrough))
            }
            #expect(error?.kind == .badMessage)
        }
        #expect(running.handler.snapshot.deliveries == sent)
    }

    @Test func `a protobuf definition file reaches the control handler, whatever its bytes`() throws
    {
        let running = try RunningServer()
        let client = try running.client()
        let file = ProtoFile(name: "a/b.proto", source: .given, bytes: (0...255).map(UInt8.init))
        try client.addProtoFile(file)
        let large = ProtoFile(
            name: "large", source: .given, bytes: [UInt8](repeating: 0xFF, count: 2 << 20))
        try client.addProtoFile(large)
        #expect(running.handler.snapshot.protoFiles == [file, large])
        try client.removeProtoFile(named: "large")
        #expect(running.handler.snapshot.protoFiles == [file])
        let error = #expect(throws: ControlError.self) {
            try client.removeProtoFile(named: "none")
        }
        #expect(error?.kind == .notFound)
    }

    @Test
    func `an error of the control handler reaches the client with its kind, message and column`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        let error = #expect(throws: ControlError.self) { _ = try client.clear(filter: "bad(") }
        #expect(error == ControlError(.badFilter, "a parenthesis", column: 4))
    }

    @Test func `commands to stop and resume recording reach the control handler`() throws {
        let running = try RunningServer()
        let client = try running.client()
        try client.setRecording(false)
        try client.setRecording(true)
        #expect(running.handler.snapshot.recording == [false, true])
    }

    @Test
    func `exchange IDs reserved over the control socket ascend; a count out of range is rejected`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        let taken = try client.takeIdentifiers(exchangeCount: 3, connectionCount: 1)
        #expect(taken.exchanges.map(\.rawValue) == [1, 2, 3])
        #expect(taken.connections.map(\.rawValue) == [4])
        for count in [-1, ControlLimits.identifierCountMax + 1] {
            #expect(throws: ControlError.self) {
                _ = try client.takeIdentifiers(exchangeCount: count, connectionCount: 0)
            }
        }
    }

    @Test func `a control command without a reply times out`() throws {
        let running = try RunningServer(handler: FakeHandler(holdsClear: true))
        let client = try running.client(timeoutNs: 20_000_000)
        let error = #expect(throws: ControlError.self) { _ = try client.clear(filter: nil) }
        #expect(error?.kind == .timedOut)
        running.handler.release()
    }

    @Test
    func `a control message that is not JSON gets an error reply, and its connection is closed`()
        throws
    {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        client.send("hello\n")
        #expect(client.line().contains("badMessage"))
        #expect(client.drain() == 0)
    }

    @Test
    func `an unknown control command gets an error with its id, and the connection stays open`()
        throws
    {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        client.send(#"{"id":5,"command":{"dance":{}}}"# + "\n")
        let answer = client.line()
        #expect(answer.contains(#""id":5"#) && answer.contains("badMessage"))
        client.send(#"{"id":6,"command":{"setRecording":{"isOn":true}}}"# + "\n")
        #expect(client.line() == #"{"id":6,"result":{"done":{}}}"#)
    }

    @Test func `control requests sent in one write all get replies in order, with their ids`()
        throws
    {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        let lines = (1...300).map { #"{"id":\#($0),"command":{"setRecording":{"isOn":true}}}"# }
        client.send(lines.joined(separator: "\n") + "\n")
        for number in 1...300 {
            #expect(client.line() == #"{"id":\#(number),"result":{"done":{}}}"#)
        }
    }

    @Test
    func `an oversized control message gets an error reply, and its connection is closed`()
        throws
    {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        client.send([UInt8](repeating: 0x20, count: ControlLimits.lineByteCountMax + 1))
        #expect(client.line().contains("longer than"))
        #expect(client.drain() == 0)
    }

    @Test
    func `the daemon disconnects a control client that leaves megabytes of replies unread`()
        throws
    {
        let running = try RunningServer()
        let greedy = try RawClient(path: running.directory.socketPath)
        let count = ControlLimits.identifierCountMax
        let request =
            #"{"id":1,"command":{"takeIdentifiers":{"exchangeCount":\#(count),"#
            + #""connectionCount":\#(count)}}}"# + "\n"
        // A few requests are asked for many times what may wait.
        greedy.send(String(repeating: request, count: 2_000))
        #expect(greedy.waitForHangUp(seconds: 60))
        #expect(try running.client().status().pid == 7)
        #expect(greedy.drain() < 8 << 20)
    }

    @Test
    func `a control client that sends requests faster than it reads replies gets every reply`()
        throws
    {
        let running = try RunningServer()
        let client = try RawClient(path: running.directory.socketPath)
        let count = 20_000
        let sender = Thread {
            client.send(
                String(repeating: #"{"id":1,"command":{"status":{}}}"# + "\n", count: count))
            client.end()
        }
        sender.start()
        var answers = 0
        client.readToEnd { answers += $0.count { $0 == 0x0A } }
        #expect(answers == count)
    }

    @Test func `a control client beyond the connection limit gets an error that says so`() throws {
        let running = try RunningServer()
        let clients = try (0..<ControlLimits.connectionCountMax).map { _ in try running.client() }
        for client in clients { _ = try client.status() }
        let error = #expect(throws: ControlError.self) { _ = try running.client().status() }
        #expect(error?.message == "too many control connections")
    }

    @Test func `a stopped control server removes its socket and accepts no connections`() throws {
        let running = try RunningServer()
        _ = try running.client().status()
        running.server.stop()
        #expect(!FileManager.default.fileExists(atPath: running.directory.socketPath))
        let error = #expect(throws: ControlError.self) { _ = try running.client() }
        #expect(error?.kind == .notRunning)
    }
}

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
    func `a subscribed control client that stops reading is disconnected, but others are served`()
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
        #expect(slow.waitForHangUp(seconds: 60))
        let received = slow.drain()
        #expect(received < 8 << 20)
    }
}
