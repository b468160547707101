import ClientLib
import ProxydClientTestSupport
import Testing

/// What a request tells about itself.
struct RequestAccountTests {
    @Test
    func `each retry has its own timeline, and the overall timeline begins with the first attempt`()
        async throws
    {
        let server = try ScriptedServer { request in
            ScriptedServer.response(request.number == 1 ? 503 : 200, "body")
        }
        var policy = RetryPolicy(retryLimit: 1)
        policy.exponentialBackoffScale = 0
        let response = await Session.default.request(server.url, interceptor: policy)
            .validate().serializingString().response
        let timeline = response.timeline
        #expect(timeline.attempts.count == 2)
        #expect(timeline.requestStartTime <= timeline.attempts[0].start)
        #expect(timeline.attempts[0].start < timeline.attempts[1].start)
        #expect(timeline.initialResponseTime >= timeline.attempts[1].start)
        #expect(timeline.latency <= timeline.requestDuration)
        #expect(
            timeline.totalDuration == timeline.requestDuration + timeline.serializationDuration)
        #expect(timeline.description.hasPrefix("Timeline: { \"Latency\": "))
    }

    @Test func `the description of a request has its method, URL and status`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(404, "") }
        let request = Session.default.request(server.url + "/a", method: .delete)
        #expect(request.description == "No request created yet.")
        _ = await request.serializingResponse().response
        #expect(request.description == "DELETE \(server.url)/a (404)")
    }

    @Test func `a GET request may have a body, a TRACE request may not`() async throws {
        let server = try ScriptedServer { ScriptedServer.response(200, $0.bodyText) }
        let text = try await Session.default.request(server.url, body: .text("query"))
            .serializingString().value
        #expect(text == "query")
        let error = await Session.default.request(
            server.url, method: .trace, body: .text("query")
        ).serializingData().response.error
        #expect(error?.kind == .invalidRequest(.bodyNotAllowed))
    }

    @Test func `a custom parameter encoding can add a header field to the request`() async throws {
        struct HeaderEncoding: ParameterEncoding {
            func encode(
                _ request: HTTPRequest, with parameters: Parameter?
            ) throws -> HTTPRequest {
                var request = request
                request.headers.add(name: "X-Parameters", value: "\(parameters != nil)")
                return request
            }
        }
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let parameters: Parameter = ["a": 1]
        _ = await Session.default.request(
            server.url, parameters: parameters, encoding: HeaderEncoding()
        ).serializingData().response
        #expect(server.received.first?.header("X-Parameters") == "true")
    }
}
