import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct EventSourceTests {
    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"

    private func configuration(_ clock: ManualClock) -> EventSource.Configuration {
        var configuration = EventSource.Configuration()
        configuration.clock = clock
        return configuration
    }

    @Test func `an event source delivers events with their fields and has the response head`()
        async throws
    {
        let server = try ScriptedServer { _ in
            [
                .text(Self.head),
                .text(": hi\n\nid: 7\nevent: add\ndata: a\ndata: b\nretry: 50\n\ndata: c\n\n"),
            ]
        }
        let source = Session.default.eventSource(server.url)
        let events = source.makeAsyncIterator()
        let first = try await events.next()
        #expect(
            first
                == .init(id: "7", event: "add", data: "a\nb", retry: .milliseconds(50)))
        #expect(source.response?.status == 200)
        #expect(try await events.next() == .init(id: "7", data: "c"))
        #expect(source.lastEventID == "7")
        source.cancel()
        #expect(try await events.next() == nil)
        let sent = try #require(server.received.first)
        #expect(sent.header("Accept") == "text/event-stream")
        #expect(sent.header("Cache-Control") == "no-store")
        #expect(sent.header("Last-Event-ID") == nil)
    }

    @Test
    func `an event source reconnects with the last event ID, after the server's delay`()
        async throws
    {
        let server = try ScriptedServer { received in
            switch received.number {
            case 1: [.text(Self.head + "retry: 700\nid: 1\ndata: a\n\n"), .close]
            case 2: [.text(Self.head + "data: b\n\ndata: lost"), .reset]
            default: ScriptedServer.response(204)
            }
        }
        let clock = ManualClock()
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let source = session.eventSource(server.url, configuration: configuration(clock))
        let reading = Task {
            var data: [String] = []
            for try await event in source { data.append(event.data) }
            return data
        }
        var pauses = clock.arrivals.makeAsyncIterator()
        for _ in 0..<2 {
            #expect(await pauses.next() == .milliseconds(700))
            clock.advance(by: .milliseconds(700))
        }
        #expect(try await reading.value == ["a", "b"])
        #expect(server.received.map { $0.header("Last-Event-ID") } == [nil, "1", "1"])
        #expect(source.connectionCount == 3)
        #expect(sink.exchanges.count == 3)
        let messages = sink.updates.flatMap(\.messages)
        #expect(messages.filter { $0.kind == .event && $0.flags.isEmpty }.count == 2)
    }

    @Test func `an event source fails on an error status or a wrong content type`() async throws {
        let server = try ScriptedServer { received in
            received.head.targetText == "/404"
                ? ScriptedServer.response(404)
                : ScriptedServer.response(
                    200, "data: x\n\n", headers: [("Content-Type", "text/plain")])
        }
        for (path, kind) in [
            ("/404", ClientError.ValidationFailure.unacceptableStatusCode(code: 404)),
            (
                "/",
                .unacceptableContentType(
                    acceptable: ["text/event-stream"], actual: "text/plain")
            ),
        ] {
            let error = await #expect(throws: ClientError.self) {
                for try await _ in Session.default.eventSource(server.url + path) {}
            }
            #expect(error?.kind == .responseValidationFailed(kind))
        }
        #expect(server.received.count == 2)
    }

    @Test func `an event source whose first connection fails throws the error`() async throws {
        let server = try ScriptedServer { _ in [.reset] }
        let error = await #expect(throws: ClientError.self) {
            for try await _ in Session.default.eventSource(server.url) {}
        }
        #expect(error?.kind == .network(.closedEarly))
    }

    @Test
    func `an event source doubles its delay after each failure and fails at maximumFailureCount`()
        async throws
    {
        let server = try ScriptedServer { received in
            received.number == 1 ? [.text(Self.head + "data: a\n\n"), .reset] : [.reset]
        }
        let clock = ManualClock()
        var configuration = configuration(clock)
        configuration.maximumFailureCount = 4
        configuration.reconnectionTime = .seconds(1)
        let source = Session.default.eventSource(server.url, configuration: configuration)
        let reading = Task { for try await _ in source {} }
        var pauses = clock.arrivals.makeAsyncIterator()
        for seconds in [1, 2, 4] {
            #expect(await pauses.next() == .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }
        let error = await #expect(throws: ClientError.self) { try await reading.value }
        #expect(error?.kind == .network(.closedEarly))
        #expect(server.received.count == 4)
    }

    @Test func `an event source fails on an event above the size limit`() async throws {
        let server = try ScriptedServer { _ in
            [.text(Self.head + "data: " + String(repeating: "x", count: 2_000))]
        }
        var configuration = EventSource.Configuration()
        configuration.maximumEventSize = 1_000
        let source = Session.default.eventSource(server.url, configuration: configuration)
        let error = await #expect(throws: ClientError.self) {
            for try await _ in source {}
        }
        #expect(error?.kind == .messageTooLarge(limit: 1_000))
    }

    @Test func `cancelling the task that reads an event source ends its reconnection delay`()
        async throws
    {
        let server = try ScriptedServer { _ in [.text(Self.head), .close] }
        let clock = ManualClock()
        let source = Session.default.eventSource(
            server.url, configuration: configuration(clock))
        let reading = Task { for try await _ in source {} }
        var pauses = clock.arrivals.makeAsyncIterator()
        #expect(await pauses.next() == .seconds(3))
        reading.cancel()
        let error = await #expect(throws: ClientError.self) { try await reading.value }
        #expect(error?.kind == .explicitlyCancelled)
    }

    @Test func `cancelling an event source during its reconnection delay ends it without an error`()
        async throws
    {
        let server = try ScriptedServer { _ in [.text(Self.head + "data: a\n\n"), .close] }
        let clock = ManualClock()
        let source = Session.default.eventSource(
            server.url, configuration: configuration(clock))
        let reading = Task {
            var data: [String] = []
            for try await event in source { data.append(event.data) }
            return data
        }
        var pauses = clock.arrivals.makeAsyncIterator()
        #expect(await pauses.next() == .seconds(3))
        source.cancel()
        #expect(try await reading.value == ["a"])
        #expect(server.received.count == 1)
    }
}
