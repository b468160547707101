import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydContentCoding
import ProxydTestSupport
import Testing

struct CoreInterceptorTests {
    /// Sends again without a delay.
    private static func eager(_ limit: Int) -> RetryPolicy {
        var policy = RetryPolicy(retryLimit: limit)
        policy.exponentialBackoffScale = 0
        return policy
    }

    @Test func `a 503 with a body is retried, and the last response is returned`() async throws {
        let server = try ScriptedServer { request in
            request.number < 3
                ? ScriptedServer.response(503, "busy \(request.number)")
                : ScriptedServer.response(200, "done")
        }
        let request = Session.default.request(server.url, interceptor: Self.eager(2)).validate()
            .downloadProgress { _ in }
        let response = await request.serializingString().response
        #expect(response.value == "done")
        #expect(request.retryCount == 2)
        #expect(response.exchanges.map { $0.response?.status } == [503, 503, 200])
        #expect(response.exchanges[0].response?.body.kept == Array("busy 1".utf8))
    }

    @Test func `retries stop at the limit, and the last error is returned`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(500, "no") }
        let response = await Session.default.request(server.url, interceptor: Self.eager(1))
            .validate().serializingString().response
        #expect(
            response.error?.kind
                == .responseValidationFailed(.unacceptableStatusCode(code: 500)))
        #expect(response.error?.attempt == 2)
        #expect(server.received.count == 2)
    }

    @Test func `the retry policy does not retry a POST`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(500, "no") }
        _ = await Session.default.request(
            server.url, method: .post, interceptor: Self.eager(2)
        ).validate().serializingString().response
        #expect(server.received.count == 1)
    }

    @Test func `a retried multipart upload sends the same bytes`() async throws {
        let server = try ScriptedServer { request in
            ScriptedServer.response(request.number == 1 ? 503 : 200, request.body)
        }
        let response = await Session.default.upload(
            multipartFormData: { $0.append("1", name: "a") }, to: server.url, method: .put,
            interceptor: Self.eager(1)
        ).validate().serializingString().response
        #expect(response.value?.contains("name=\"a\"") == true)
        #expect(server.received[0].body == server.received[1].body)
    }

    @Test func `ConnectionLostRetryPolicy retries a request whose connection was lost`()
        async throws
    {
        let server = try ScriptedServer { request in
            request.number == 1 ? [.close] : ScriptedServer.response(200, "ok")
        }
        var policy = ConnectionLostRetryPolicy()
        policy.policy.exponentialBackoffScale = 0
        #expect(
            try await Session.default.request(server.url, interceptor: policy)
                .serializingString().value == "ok")
    }

    @Test func `adapters run for each attempt, the session's before the request's`() async throws {
        let server = try ScriptedServer { request in
            ScriptedServer.response(request.number == 1 ? 503 : 200, "x")
        }
        let session = Session(
            interceptor: Adapter { request, state in
                var request = request
                request.headers.add(name: "X-Order", value: "session \(state.retryCount)")
                return request
            })
        _ = await session.request(server.url, interceptor: Self.eager(1)).adapt { request, _ in
            var request = request
            request.headers.add(name: "X-Order", value: "request")
            return request
        }.validate().serializingString().response
        #expect(
            server.received.map { $0.head.fields.values(named: "X-Order") }
                == [["session 0", "request"], ["session 1", "request"]])
    }

    @Test
    func `an error thrown by an adapter is passed to the retriers and then fails the request`()
        async throws
    {
        struct NoToken: Error {}
        let tries = Collector<ClientError.Kind>()
        let error = await Session.default.request("http://127.0.0.1:1/").adapt { _, _ in
            throw NoToken()
        }.retry { request, _, error in
            tries.add(error.kind)
            return request.retryCount < 1 ? .retry : .doNotRetry
        }.serializingData().response.error
        #expect(error?.kind == .requestAdaptationFailed)
        #expect(error?.underlying is NoToken)
        #expect(tries.count == 2)
    }

    @Test func `a retrier can replace the request's error with its own`() async throws {
        struct Better: Error {}
        let server = try ScriptedServer { _ in ScriptedServer.response(500, "x") }
        let error = await Session.default.request(server.url).validate().retry { _, _, _ in
            .doNotRetryWithError(Better())
        }.serializingData().response.error
        #expect(error?.kind == .requestRetryFailed)
        #expect(error?.underlying is Better)
    }

    @Test
    func `a request can be retried after a serialization error, and its handler is called once`()
        async throws
    {
        let server = try ScriptedServer { request in
            ScriptedServer.response(200, request.number == 1 ? "rubbish" : "{}")
        }
        let heard = Collector<Bool>()
        let request = Session.default.request(server.url).retry { request, _, _ in
            request.retryCount < 1 ? .retry : .doNotRetry
        }
        request.responseJSON { heard.add($0.error == nil) }
        _ = await request.serializingData().response
        #expect(heard.all == [true])
        #expect(server.received.count == 2)
    }

    @Test func `retries obey Retry-After, and stop when it asks for too long a delay`() async throws
    {
        let server = try ScriptedServer { request in
            ScriptedServer.response(
                503, "x",
                headers: request.number == 1 ? [("Retry-After", "0")] : [("Retry-After", "999")])
        }
        var policy = RetryPolicy(retryLimit: 5)
        policy.exponentialBackoffScale = 1_000
        let response = await Session.default.request(server.url, interceptor: policy).validate()
            .serializingString().response
        #expect(server.received.count == 2)
        #expect(response.error != nil)
    }

    @Test func `RequestCompressor compresses the body and sets Content-Encoding`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let text = String(repeating: "abc", count: 1_000)
        for coding in [ContentEncoder.Coding.deflate, .gzip] {
            _ = try await Session.default.upload(
                Array(text.utf8), to: server.url, interceptor: RequestCompressor(coding: coding)
            ).serializingData().value
        }
        for received in server.received {
            let coding = try #require(received.header("Content-Encoding"))
            let content = ContentDecoder.decode(received.body.span, contentEncoding: coding)
            #expect(content.bytes == Array(text.utf8))
            #expect(received.body.count < 200)
        }
        let error = await Session.default.upload(
            [1], to: server.url, headers: ["Content-Encoding": "x"],
            interceptor: .deflateCompressor
        ).serializingData().response.error
        #expect(error?.underlying is RequestCompressor.DuplicateHeaderError)
    }

    @Test func `event monitors and the request's event sequence report all events in order`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let heard = Collector<String>()
        let session = Session(
            eventMonitors: [
                ClosureEventMonitor { event, _ in
                    heard.add(String("\(event)".prefix { $0 != "(" }))
                }
            ])
        let request = session.request(server.url).validate()
        let events = request.events
        _ = await request.serializingData().response
        var names: [String] = []
        for await event in events { names.append(String("\(event)".prefix { $0 != "(" })) }
        let expected = [
            "didResume", "willSend", "didReceive", "didReceiveBody", "didCompleteAttempt",
            "didValidate", "didParse", "didFinish",
        ]
        #expect(names == expected)
        #expect(heard.all == expected)
    }

    @Test
    func `when an adapter fails during a retry, the previous attempt's response is discarded`()
        async throws
    {
        struct NoToken: Error {}
        let server = try ScriptedServer { _ in ScriptedServer.response(503, "busy") }
        let statuses = Collector<Int?>()
        let response = await Session.default.request(server.url).validate().adapt {
            request, state in
            if state.retryCount > 0 { throw NoToken() }
            return request
        }.retry { request, _, _ in
            statuses.add(request.response?.status)
            return request.retryCount < 1 ? .retry : .doNotRetry
        }.serializingData().response
        #expect(statuses.all == [503, nil])
        #expect(response.response == nil)
        #expect(response.error?.kind == .requestAdaptationFailed)
    }

    @Test func `event monitors are told when a serializer has run, with its error if it failed`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "no JSON") }
        let heard = Collector<ClientError.Kind?>()
        let monitor = ClosureEventMonitor { event, _ in
            if case .didParse(let error) = event { heard.add(error?.kind) }
        }
        let request = Session.default.request(server.url).eventMonitor(monitor)
        _ = await request.serializingString().response
        #expect(heard.all == [nil])
        _ = await request.serializingJSON().response
        #expect(heard.all == [nil, .responseSerializationFailed(.jsonSerializationFailed)])
        let file = Session.default.download(server.url).eventMonitor(monitor)
        _ = await file.serializingData().response
        #expect(heard.count == 3 && heard.all.last == .some(nil))
        if let url = file.fileURL { try FileManager.default.removeItem(at: url) }
    }

    @Test func `event monitors get no didParse event for failed or streamed requests`() async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(500, "no") }
        let heard = Collector<String>()
        let (finishes, finish) = AsyncStream.makeStream(of: Void.self)
        let monitor = ClosureEventMonitor { event, _ in
            let name = String("\(event)".prefix { $0 != "(" })
            heard.add(name)
            if name == "didFinish" { finish.yield() }
        }
        _ = await Session.default.request(server.url).eventMonitor(monitor).validate()
            .serializingString().response
        let stream = Session.default.streamRequest(server.url).eventMonitor(monitor)
        for try await _ in stream.streamingStrings() {}
        for await _ in stream.events {}
        // A monitor of a stream may hear of its end after the stream's reader.
        var iterator = finishes.makeAsyncIterator()
        for _ in 0..<2 { _ = await iterator.next() }
        #expect(!heard.all.contains("didParse"))
        #expect(heard.all.filter { $0 == "didFinish" }.count == 2)
    }
}
