import ClientLib
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// Recorded WebSockets that are sent again.
@Suite(.timeLimit(.minutes(2)))
struct ConversationReplayTests {
    private func record(
        _ position: Int64, _ direction: MessageRecord.Direction, _ text: String,
        atMs offsetMs: Int64 = 0, kind: MessageRecord.Kind = .text,
        flags: MessageRecord.Flags = []
    ) -> MessageRecord {
        MessageRecord(
            position: position, direction: direction, kind: kind, flags: flags,
            offsetNs: offsetMs * 1_000_000, byteCount: Int64(text.utf8.count),
            content: .bytes(Array(text.utf8)))
    }

    private func record(
        _ position: Int64, _ direction: MessageRecord.Direction, code: UInt16, _ reason: String = ""
    ) -> MessageRecord {
        let payload = WebSocketClosing(code: code, reason: reason).payload
        return MessageRecord(
            position: position, direction: direction, kind: .close,
            byteCount: Int64(payload.count), content: .bytes(payload))
    }

    private func exchange(_ url: String, upgradedTo: String? = "websocket") throws -> Exchange {
        var fields = HeaderFields()
        for (name, value) in [
            ("Host", "recorded.test"), ("Connection", "Upgrade"), ("Upgrade", "websocket"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Extensions", "x-other, permessage-deflate; client_max_window_bits"),
            ("X-Own", "kept"),
        ] { fields.append(name: name, value: value) }
        let address = try RawURL(url.replacing("ws:", with: "http:"))
        let head = RequestHead(method: .get, target: address.origin, fields: fields)
        var exchange = Exchange(
            id: ExchangeID(rawValue: 7), state: .complete,
            request: Request(url: address, head: head), response: nil,
            timeline: Timeline(wallStart: 0, start: 0))
        exchange.upgradedTo = upgradedTo
        return exchange
    }

    @Test
    func `before each send, a WebSocket replay awaits as many server messages as in the original`()
        async throws
    {
        // Answers the first message twice, and the others once, with what it has heard.
        let server = try WebSocketTestServer(
            .init(react: { frame in
                guard frame.opcode == .text else { return WebSocketTestServer.Manner.echo(frame) }
                let answer = WebSocketTestServer.Step.text("re " + frame.text)
                return frame.text == "a" ? [answer, answer] : [answer]
            }))
        let sink = MemoryExchangeSink()
        let session = Session(
            recordingInto: sink, configuration: SessionConfiguration(headers: HeaderFields()))
        defer { session.shutdown() }
        let log = Collector<String>()
        let replay = ConversationReplay(session, of: try exchange(server.url + "/chat"))
        let messages = [
            record(0, .toServer, "a"), record(1, .toClient, "x"), record(2, .toClient, "y"),
            record(3, .toServer, "\u{1}", kind: .ping), record(4, .toServer, "b"),
            record(5, .toClient, "z"), record(6, .toServer, "\u{0F}\u{A0}", kind: .close),
        ]
        let result = try await replay.run(ConversationList(messages)) { direction, message in
            log.add((direction == .toServer ? "> " : "< ") + (message.string ?? ""))
        }
        #expect(result.error == nil)
        #expect(!result.isMismatch)
        #expect(result.replay.sentCount == 2)
        #expect(result.replay.receivedCount == 3)
        #expect(result.originalID == ExchangeID(rawValue: 7))
        #expect(result.id == sink.updates.first?.id)
        #expect(sink.updates.first?.replayOf == ExchangeID(rawValue: 7))
        #expect(log.all.filter { $0.hasPrefix("<") } == ["< re a", "< re a", "< re b"])
        let texts = sink.updates.flatMap(\.messages).filter(\.kind.isData).map(\.direction)
        #expect(texts == [.toServer, .toClient, .toClient, .toServer, .toClient])
        let head = try #require(server.heads.first)
        #expect(head.fields["X-Own"] == "kept")
        #expect(head.fields["Sec-WebSocket-Key"] != "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(
            head.fields["Sec-WebSocket-Extensions"]
                == "permessage-deflate; client_max_window_bits")
        #expect(head.fields["Host"] == "127.0.0.1:\(server.port)")
        #expect(head.fields["User-Agent"] == nil)
    }

    @Test
    func `a WebSocket replay waits only once for missing server messages and reports a mismatch`()
        async throws
    {
        let clock = ManualClock()
        let server = try WebSocketTestServer(
            .init(react: { $0.opcode == .close ? WebSocketTestServer.Manner.echo($0) : [] }))
        var plan = ConversationPlan()
        plan.clock = clock
        let session = Session()
        defer { session.shutdown() }
        let replay = ConversationReplay(session, of: try exchange(server.url), plan: plan)
        let messages = [
            record(0, .toServer, "a"), record(1, .toClient, "x"), record(2, .toServer, "b"),
            record(3, .toClient, "y"), record(4, .toServer, "c"),
        ]
        let running = Task { try await replay.run(ConversationList(messages)) }
        var sleeps = clock.arrivals.makeAsyncIterator()
        #expect(await sleeps.next() == .seconds(10))
        clock.advance(by: .seconds(10))
        let result = try await running.value
        #expect(result.replay.sentCount == 3)
        #expect(result.replay.receivedCount == 0)
        #expect(result.original.receivedCount == 2)
        #expect(result.isMismatch)
        #expect(result.error == nil)
    }

    @Test func `a WebSocket replay with recorded pacing sends messages at their recorded times`()
        async throws
    {
        let clock = ManualClock()
        let server = try WebSocketTestServer()
        var plan = ConversationPlan()
        plan.clock = clock
        plan.pacing = .recorded
        let session = Session()
        defer { session.shutdown() }
        let replay = ConversationReplay(session, of: try exchange(server.url), plan: plan)
        let messages = [
            record(0, .toServer, "a", atMs: 100), record(1, .toServer, "b", atMs: 350),
        ]
        let running = Task { try await replay.run(ConversationList(messages)) }
        var sleeps = clock.arrivals.makeAsyncIterator()
        #expect(await sleeps.next() == .milliseconds(100))
        #expect(server.frames.isEmpty)
        clock.advance(by: .milliseconds(100))
        #expect(await sleeps.next() == .milliseconds(250))
        clock.advance(by: .milliseconds(250))
        #expect(try await running.value.replay.sentCount == 2)
    }

    @Test
    func `a recording that cannot be replayed as a WebSocket is refused before anything is sent`()
        async throws
    {
        let server = try WebSocketTestServer()
        let session = Session()
        defer { session.shutdown() }
        let cut = [record(0, .toServer, "a", flags: .cut)]
        let replay = ConversationReplay(session, of: try exchange(server.url))
        let error = await #expect(throws: ClientError.self) {
            try await replay.run(ConversationList(cut))
        }
        let refusal = ReplayRefusal.truncatedMessage(
            position: 0, byteCount: 1, keptByteCount: 1)
        #expect(error?.kind == .replayRefused(refusal))
        var bad = record(1, .toServer, "a")
        bad.content = .bytes([0xFF, 0xFE])
        let broken = ConversationList([bad])
        let failure = await #expect(throws: ClientError.self) {
            try await replay.run(broken)
        }
        #expect(failure?.kind == .replayRefused(.messageNotUTF8(position: 1)))
        let other = ConversationReplay(
            session, of: try exchange(server.url, upgradedTo: "h2c"))
        let reason = await #expect(throws: ClientError.self) {
            try await other.run(ConversationList([]))
        }
        #expect(reason?.kind == .replayRefused(.upgraded(to: "h2c")))
        #expect(server.heads.isEmpty)
    }

    @Test func `a WebSocket replay reports the status of a rejected handshake`() async throws {
        let server = try WebSocketTestServer(
            .init(answer: { _ in Array("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n".utf8) }))
        let session = Session()
        defer { session.shutdown() }
        let replay = ConversationReplay(session, of: try exchange(server.url))
        let result = try await replay.run(ConversationList([record(0, .toServer, "a")]))
        #expect(result.status == 410)
        #expect(result.error?.kind == .webSocketFailed(.notUpgraded(status: 410)))
        #expect(result.replay.sentCount == 0)
    }

    @Test
    func `a WebSocket replay is closed by the side that closed the original, with the same code`()
        async throws
    {
        let server = try WebSocketTestServer(
            .init(react: { frame in
                frame.text == "bye"
                    ? [.close(4_001, "as before")] : WebSocketTestServer.Manner.echo(frame)
            }))
        let session = Session()
        defer { session.shutdown() }
        let closes: [[MessageRecord]] = [
            [
                record(1, .toClient, code: 4_001),
                record(2, .toServer, code: 4_001),
            ],
            [record(1, .toServer, code: 3_000, "done")],
        ]
        for (text, close) in zip(["bye", "quiet"], closes) {
            let messages = [record(0, .toServer, text)]
            let replay = ConversationReplay(session, of: try exchange(server.url))
            let result = try await replay.run(ConversationList(messages + close))
            #expect(result.error == nil)
            #expect(result.replay.sentCount == 1)
        }
        let said = server.frames.filter { $0.opcode == .close }.map(\.payload)
        #expect(said == [[0x0F, 0xA1], [0x0B, 0xB8] + Array("done".utf8)])
    }

    @Test
    func `a WebSocket replay ends at its set duration even if the next message is not yet due`()
        async throws
    {
        let clock = ManualClock()
        let server = try WebSocketTestServer()
        var plan = ConversationPlan()
        plan.clock = clock
        plan.pacing = .recorded
        plan.duration = .seconds(1)
        let session = Session()
        defer { session.shutdown() }
        let replay = ConversationReplay(session, of: try exchange(server.url), plan: plan)
        let messages = [record(0, .toServer, "a", atMs: 3_600_000)]
        let running = Task { try await replay.run(ConversationList(messages)) }
        var sleeps = clock.arrivals.makeAsyncIterator()
        var asked: Set<Duration> = []
        for _ in 0..<2 { if let sleep = await sleeps.next() { asked.insert(sleep) } }
        #expect(asked == [.seconds(1), .seconds(3_600)])
        clock.advance(by: .seconds(1))
        let result = try await running.value
        #expect(result.error == nil)
        #expect(result.replay.sentCount == 0)
        #expect(server.frames.map(\.opcode) == [.close])
    }
}
