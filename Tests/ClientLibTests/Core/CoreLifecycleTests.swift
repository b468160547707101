import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct CoreLifecycleTests {
    /// A server that takes requests and never answers.
    private static func silentServer() throws -> ScriptedServer { try ScriptedServer { _ in [] } }

    @Test
    func `handlers of a cancelled request get a typed error, even if added after cancellation`()
        async throws
    {
        let server = try Self.silentServer()
        let request = Session.default.request(server.url)
        let task = request.serializingData()
        for await _ in server.arriving { break }
        request.cancel()
        #expect(await task.response.error?.kind == .explicitlyCancelled)
        #expect(request.isCancelled)
        request.resume()
        #expect(request.isCancelled)
        #expect(await request.serializingData().response.error?.kind == .explicitlyCancelled)
    }

    @Test func `a request that never started can be cancelled`() async {
        var configuration = SessionConfiguration.default
        configuration.startRequestsImmediately = false
        let session = Session(configuration: configuration)
        let request = session.request("http://127.0.0.1:1/")
        let task = request.serializingData()
        #expect(request.isInitialized)
        request.cancel()
        #expect(await task.response.error?.kind == .explicitlyCancelled)
    }

    @Test func `cancelling the task that awaits a response cancels its request`() async throws {
        let server = try Self.silentServer()
        let request = Session.default.request(server.url)
        let task = Task { await request.serializingData().response.error?.kind }
        for await _ in server.arriving { break }
        task.cancel()
        #expect(await task.value == .explicitlyCancelled)
    }

    @Test func `a request that is queued for a connection can be cancelled`() async throws {
        let server = try Self.silentServer()
        var configuration = SessionConfiguration.default
        configuration.maximumConnectionsPerHost = 1
        let session = Session(configuration: configuration)
        let first = session.request(server.url)
        let running = first.serializingData()
        for await _ in server.arriving { break }
        let waiting = session.request(server.url).serializingData()
        waiting.cancel()
        #expect(await waiting.response.error?.kind == .explicitlyCancelled)
        #expect(server.connectionCount == 1)
        first.cancel()
        _ = await running.response
    }

    @Test(.timeLimit(.minutes(5)))
    func `a request that times out while queued for a connection releases its body`() async throws {
        final class Content: Sendable {
            let end: AsyncStream<Never>.Continuation
            init(_ end: AsyncStream<Never>.Continuation) { self.end = end }
            deinit { end.finish() }
        }
        let server = try Self.silentServer()
        var configuration = SessionConfiguration.default
        configuration.maximumConnectionsPerHost = 1
        let session = Session(configuration: configuration)
        let first = session.request(server.url)
        let running = first.serializingData()
        for await _ in server.arriving { break }
        let (life, end) = AsyncStream.makeStream(of: Never.self)
        do {
            let content = Content(end)
            let body = BodyStream { withExtendedLifetime(content) { EmptySource() } }
            var request = HTTPRequest(
                method: .post, url: try RawURL(server.url), body: .stream(body))
            request.timeouts = Timeouts(total: .milliseconds(200))
            let waiting = session.request(request).serializingData()
            #expect(await waiting.response.error?.kind == .timedOut(.total))
        }
        // Ends with the content.
        for await _ in life {}
        first.cancel()
        _ = await running.response
    }

    private struct EmptySource: BodySource {
        mutating func next() async throws -> [UInt8]? { nil }
    }

    @Test func `without startRequestsImmediately, a request starts only after resume`() async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        var configuration = SessionConfiguration.default
        configuration.startRequestsImmediately = false
        let session = Session(configuration: configuration)
        let request = session.request(server.url)
        let task = request.serializingData()
        #expect(request.isInitialized)
        request.resume()
        #expect(try await task.value == Array("x".utf8))
    }

    @Test func `a request that is suspended before it starts waits for resume`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let request = Session.default.request(server.url).suspend()
        let task = request.serializingData()
        #expect(request.isSuspended)
        #expect(server.received.isEmpty)
        request.resume()
        #expect(try await task.value == Array("x".utf8))
    }

    @Test func `shutting down a session ends its requests and rejects new ones`() async throws {
        let server = try Self.silentServer()
        let session = Session()
        let task = session.request(server.url).serializingData()
        for await _ in server.arriving { break }
        session.shutdown()
        #expect(await task.response.error?.kind == .sessionInvalidated)
        let late = await session.request(server.url).serializingData().response
        #expect(late.error?.kind == .sessionInvalidated)
    }

    @Test func `deallocating a session ends its requests with the error sessionDeinitialized`()
        async throws
    {
        let server = try Self.silentServer()
        var session: Session? = Session()
        let task = try #require(session).request(server.url).serializingData()
        for await _ in server.arriving { break }
        session = nil
        #expect(await task.response.error?.kind == .sessionDeinitialized)
    }

    @Test func `all requests of a session can be listed and cancelled`() async throws {
        let server = try Self.silentServer()
        let session = Session()
        let tasks = (0..<3).map { _ in session.request(server.url).serializingData() }
        var count = 0
        session.withAllRequests { count = $0.count }
        #expect(count == 3)
        session.cancelAllRequests()
        for task in tasks {
            #expect(await task.response.error?.kind == .explicitlyCancelled)
        }
    }

    @Test func `a server that never responds causes an idle timeout`() async throws {
        let server = try Self.silentServer()
        var request = HTTPRequest(url: try RawURL(server.url))
        request.timeouts = Timeouts(idle: .milliseconds(30))
        let error = await Session.default.request(request).serializingData().response.error
        #expect(error?.kind == .timedOut(.idle))
        #expect(error?.phase == .wait)
    }

    @Test func `a server that stops sending mid-body causes an idle timeout`() async throws {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")]
        }
        var request = HTTPRequest(url: try RawURL(server.url))
        request.timeouts = Timeouts(idle: .milliseconds(30))
        let response = await Session.default.request(request).serializingData().response
        #expect(response.error?.kind == .timedOut(.idle))
        // On a slow machine the limit may end the wait for the beginning, too.
        #expect((response.error?.phase == .receive) == (response.response != nil))
    }

    @Test func `the total timeout also applies while a request is queued for a connection`()
        async throws
    {
        let server = try Self.silentServer()
        var configuration = SessionConfiguration.default
        configuration.maximumConnectionsPerHost = 1
        let session = Session(configuration: configuration)
        let running = session.request(server.url).serializingData()
        for await _ in server.arriving { break }
        var request = HTTPRequest(url: try RawURL(server.url))
        request.timeouts = Timeouts(total: .milliseconds(30))
        let error = await session.request(request).serializingData().response.error
        #expect(error?.kind == .timedOut(.total))
        running.cancel()
    }

    @Test
    func `a request's state never returns to initialized and never leaves cancelled or finished`() {
        let states: [RequestState] = [.initialized, .resumed, .suspended, .cancelled, .finished]
        let allowed: [(RequestState, RequestState)] = [
            (.resumed, .suspended), (.suspended, .resumed), (.resumed, .cancelled),
            (.suspended, .cancelled), (.resumed, .finished), (.suspended, .finished),
        ]
        for first in states {
            for second in states {
                let isAllowed =
                    first == .initialized || allowed.contains { $0 == first && $1 == second }
                #expect(first.canTransition(to: second) == isAllowed, "\(first) \(second)")
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request cancelled as it starts in a shut-down session calls its handlers once`()
        async throws
    {
        let heard = Collector<ClientError.Kind?>()
        let session = Session(
            eventMonitors: [
                ClosureEventMonitor { event, request in
                    guard case .didResume = event else { return }
                    request.cancel()
                }
            ])
        session.shutdown()
        let request = session.request("http://127.0.0.1:1/")
        request.response { heard.add($0.error?.kind) }
        #expect(await request.serializingData().response.error?.kind == .explicitlyCancelled)
        #expect(heard.all == [.explicitlyCancelled])
    }
}
