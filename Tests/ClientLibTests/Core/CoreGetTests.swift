import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct CoreGetTests {
    @Test func `a GET returns the body, the response head and a timeline`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "hello") }
        let session = Session()
        let response = await session.request(server.url + "/a?b=c").serializingData().response
        #expect(try String(decoding: response.result.get(), as: UTF8.self) == "hello")
        #expect(response.response?.status == 200)
        #expect(response.request?.url.pathText == "/a")
        let exchange = try #require(response.exchanges.first)
        #expect(exchange.response?.body.kept == Array("hello".utf8))
        #expect(exchange.timeline.connect != nil)
        #expect(exchange.timeline.wait != nil)
        #expect(exchange.timeline.receive != nil)
        #expect(!exchange.timeline.connectionReused)
        #expect(response.timeline.totalDuration >= response.timeline.latency)
        #expect(server.received.first?.head.targetText == "/a?b=c")
        #expect(server.received.first?.header("Host") == "127.0.0.1:\(server.port)")
        #expect(server.received.first?.header("Accept-Encoding") == "gzip, deflate, br, zstd")
    }

    @Test func `a second request reuses the connection`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let session = Session()
        _ = try await session.request(server.url).serializingData().value
        let second = await session.request(server.url).serializingData().response
        #expect(second.exchanges.first?.timeline.connectionReused == true)
        #expect(second.exchanges.first?.timeline.connect == nil)
        #expect(server.connectionCount == 1)
    }

    @Test func `a refused connection is reported as the server's fault in the connect phase`()
        async throws
    {
        let silent = try SilentPort()
        let session = Session()
        let response = await session.request(silent.url).serializingData().response
        let error = try #require(response.error)
        #expect(error.kind == .network(.connectionRefused))
        #expect(error.phase == .connect)
        #expect(error.fault == .server)
        #expect(response.exchanges.first?.state == .failed)
    }

    @Test
    func `response handlers run in the order added, and can be added after the request has ended`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let session = Session()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let request = session.request(server.url)
        request.responseData { _ in continuation.yield(1) }
            .responseData { _ in continuation.yield(2) }
            .responseData { _ in continuation.yield(3) }
        var iterator = stream.makeAsyncIterator()
        for expected in 1...3 { #expect(await iterator.next() == expected) }
        request.responseData { _ in continuation.yield(4) }
        #expect(await iterator.next() == 4)
        #expect(server.received.count == 1)
        #expect(request.isFinished)
    }

    @Test func `many concurrent requests each get their own response, over at most 8 connections`()
        async throws
    {
        let server = try ScriptedServer { ScriptedServer.response(200, $0.head.targetText) }
        let session = Session()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let body = try await session.request("\(server.url)/\(number)")
                        .serializingData().value
                    #expect(String(decoding: body, as: UTF8.self) == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount <= 8)
    }
}
