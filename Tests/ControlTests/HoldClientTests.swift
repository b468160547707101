import ProxydRules
import Foundation
import ProxydControl
import ProxydTestSupport
import Testing

/// Held messages over the control socket.
struct HoldClientTests {
    @Test func `held messages are listed unchanged, even if they contain control characters`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        #expect(try client.holds() == [FakeHandler.held])
        #expect(try client.holds(matching: "host=a") == [FakeHandler.held])
        let error = #expect(throws: ControlError.self) { _ = try client.holds(matching: "a(") }
        #expect(error == ControlError(.badFilter, "a parenthesis", column: 2))
        #expect(
            running.handler.snapshot.holdCommands == [
                .list(filter: nil), .list(filter: "host=a"), .list(filter: "a("),
            ])
    }

    @Test(arguments: [0, 1, 512 << 10, (512 << 10) + 1, 3 << 20])
    func `a control client reads the whole body of a held message in pieces of one line each`(
        _ byteCount: Int
    ) throws {
        let body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let running = try RunningServer()
        running.handler.note { $0.heldBody = body }
        let read = try running.client().read(.body, of: 1)
        let isWhole = read == body
        #expect(isWhole)
        let offsets = running.handler.snapshot.holdCommands.map { command in
            if case .read(1, .body, let offset) = command { offset } else { -1 }
        }
        #expect(offsets == Array(stride(from: 0, to: max(byteCount, 1), by: 512 << 10)))
    }

    @Test(arguments: [0, 1, 512 << 10, (1 << 20) + 5])
    func `a control client writes the body of a held message in consecutive pieces`(
        _ byteCount: Int
    ) throws {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let running = try RunningServer()
        try running.client().write(.body, of: 1, bytes)
        var written: [UInt8] = []
        for command in running.handler.snapshot.holdCommands {
            guard case .write(1, .body, let offset, let piece) = command else { continue }
            #expect(offset == written.count)
            written += [UInt8](piece)
        }
        // Nothing is written too: a body may become empty.
        #expect(!running.handler.snapshot.holdCommands.isEmpty)
        let isWhole = written == bytes
        #expect(isWhole)
    }

    @Test func `the answer to a held request is sent as a response head and an optional body`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        try client.answer(1, head: [1], body: [])
        try client.answer(1, head: [2], body: [3])
        #expect(
            running.handler.snapshot.holdCommands == [
                .write(hold: 1, part: .head, offset: 0, bytes: Data([1])), .answer(hold: 1),
                .write(hold: 1, part: .head, offset: 0, bytes: Data([2])),
                .write(hold: 1, part: .body, offset: 0, bytes: Data([3])), .answer(hold: 1),
            ])
    }

    @Test func `what a client intercepts reaches the daemon, and so does the end of that`() throws {
        let running = try RunningServer()
        let client = try running.client()
        let intercept = Intercept(filter: "host=a", holdsRequests: true, holdsResponses: true)
        try client.intercept(intercept)
        try client.intercept(nil)
        #expect(
            running.handler.snapshot.holdCommands == [
                .intercept(intercept: intercept), .intercept(intercept: nil),
            ])
    }

    @Test
    func `a decision on a held message reaches the daemon, or fails if another client claimed it`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        try client.claim(1, as: "alice")
        try client.resume(1, isEdited: true, actions: ["set header:X-A=\"\n"])
        try client.drop(1)
        #expect(try client.resumeAll() == 3)
        #expect(try client.resumeAll(matching: "host=a") == 1)
        let decisions: [(Int64) throws -> Void] = [
            { try client.drop($0) }, { try client.claim($0, as: "a") }, { try client.resume($0) },
        ]
        for decide in decisions {
            let error = #expect(throws: ControlError.self) { try decide(2) }
            #expect(error == ControlError(.taken, "it is taken by bob"))
        }
        #expect(
            running.handler.snapshot.holdCommands.prefix(3) == [
                .claim(hold: 1, name: "alice"),
                .resume(hold: 1, isEdited: true, actions: ["set header:X-A=\"\n"]), .drop(hold: 1),
            ])
    }

    private let news: [ControlEvent] = [
        .held(hold: FakeHandler.held), .holdClaimed(hold: 1, by: "a"),
        .holdClaimed(hold: 1, by: nil), .holdGone(hold: 1, reason: "timed out, dropped"),
    ]

    @Test
    func `events about held messages reach only the clients that subscribed to held messages`()
        throws
    {
        let running = try RunningServer()
        let taker = try running.client()
        let watcher = try running.client()
        try taker.takeHolds()
        try watcher.subscribe()
        for event in news { running.server.publish(toHolders: event) }
        running.server.publish(.changed(ids: [7]))
        for event in news { #expect(try taker.nextEvent(timeoutNs: 10_000_000_000) == event) }
        #expect(try watcher.nextEvent(timeoutNs: 10_000_000_000) == .changed(ids: [7]))
        #expect(try taker.nextEvent(timeoutNs: 0) == nil)
    }

    @Test
    func `a client whose filter for held messages was rejected gets no events on held messages`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        #expect(throws: ControlError.self) { try client.takeHolds(matching: "a(") }
        running.server.publish(toHolders: .holdGone(hold: 1, reason: "released"))
        _ = try client.status()
        #expect(try client.nextEvent(timeoutNs: 0) == nil)
    }

    @Test
    func `a subscription to held messages stays active when a change to its filter is rejected`()
        throws
    {
        let running = try RunningServer()
        let client = try running.client()
        try client.takeHolds(matching: "host=a")
        #expect(throws: ControlError.self) { try client.takeHolds(matching: "a(") }
        let event = ControlEvent.holdGone(hold: 1, reason: "released")
        running.server.publish(toHolders: event)
        #expect(try client.nextEvent(timeoutNs: 10_000_000_000) == event)
    }

    @Test func `the daemon's control handler is notified exactly once when a client disconnects`()
        async throws
    {
        let running = try RunningServer()
        try running.client().guardAddress(ip: "::1", port: 3_000)
        await running.handler.firstLeft.wait()
        let stays = try running.client()
        #expect(try stays.toggleInterception(ofHost: "a.test", port: 443))
        #expect(try !stays.toggleInterception(ofHost: "b.test", port: 8_443))
        #expect(running.handler.snapshot.left == [1])
        #expect(running.handler.snapshot.guarded == ["::1 3000 1"])
        #expect(running.handler.snapshot.toggled == ["a.test:443", "b.test:8443"])
        let error = #expect(throws: ControlError.self) {
            try stays.guardAddress(ip: "x", port: 1)
        }
        #expect(error?.kind == .badMessage)
    }

    @Test(arguments: [8 << 10, (8 << 10) + 1])
    func `a held message's URL is truncated to 8 KiB`(_ byteCount: Int) {
        let url = "http://a.test/" + String(repeating: "a", count: byteCount - 14)
        let message = HoldSummary(
            hold: 1, exchangeID: 1, phase: "request", rule: "r", method: "GET", url: url,
            status: nil, since: 0, deadline: 0, bodyByteCount: 0, claimedBy: nil)
        #expect(message.url.utf8.count == 8 << 10)
        #expect(url.hasPrefix(message.url))
    }
}
