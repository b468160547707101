import ClientLib
import ProxydClientTestSupport
import Testing

/// Connections that are not made, and how many are.
struct CoreConnectTests {
    private func impatient() -> Session {
        var configuration = SessionConfiguration()
        configuration.timeouts.connect = .milliseconds(30)
        return Session(configuration: configuration)
    }

    @Test func `a server that accepts no connection causes a connect timeout`() async throws {
        let listener = try #require(FullListener())
        let session = impatient()
        let error = await session.request("http://127.0.0.1:\(listener.port)/")
            .serializingData().response.error
        #expect(error?.kind == .timedOut(.connect))
        #expect(error?.phase == .connect)
        withExtendedLifetime(listener) {}
    }

    @Test func `an unanswered TLS handshake causes a connect timeout`() async throws {
        let proxy = try TestProxy(.says([]))
        let session = impatient()
        let error = await session.request("https://127.0.0.1:\(proxy.port)/")
            .serializingData().response.error
        #expect(error?.kind == .timedOut(.connect))
    }

    @Test func `the limit of connections per host applies across all event loops`() async throws {
        let (silent, other) = (
            try ScriptedServer { _ in [] },
            try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        )
        var configuration = SessionConfiguration()
        configuration.eventLoopCount = 3
        configuration.maximumConnectionsPerHost = 2
        let session = Session(configuration: configuration)
        let requests = (0..<7).map { session.request(silent.url + "/\($0)") }
        let tasks = requests.map { $0.serializingData() }
        var arrivals = silent.arriving.makeAsyncIterator()
        for round in 1...3 {
            var running: [String] = []
            for _ in 0..<2 {
                running.append(try #require(await arrivals.next()).head.targetText)
            }
            // Were there room for more, they would come while all threads serve someone else.
            for _ in 0..<30 {
                _ = try await session.request(other.url).serializingData().value
            }
            #expect(silent.received.count == 2 * round)
            // Turns pass from thread to thread.
            for target in running {
                let index = try #require(Int(target.dropFirst()))
                requests[index].cancel()
                #expect(await tasks[index].response.error?.kind == .explicitlyCancelled)
            }
        }
        _ = await arrivals.next()
        #expect(silent.received.count == 7)
        session.cancelAllRequests()
    }
}
