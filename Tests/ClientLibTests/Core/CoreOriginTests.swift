import ClientLib
import ProxydClientTestSupport
import Testing

/// What redirects to another origin take along, and what is sent again after them.
struct CoreOriginTests {
    /// Sends everybody elsewhere.
    private static func redirecting(to url: String, status: Int = 302) throws -> ScriptedServer {
        try ScriptedServer { _ in
            ScriptedServer.response(status, "", headers: [("Location", url)])
        }
    }

    @Test
    func `credentials in a session's headers are not sent to another origin after a redirect`()
        async throws
    {
        let names = ["Authorization", "Cookie", "X-Api-Key"]
        let other = try ScriptedServer { _ in ScriptedServer.response(200, "there") }
        let home = try Self.redirecting(to: other.url + "/x")
        var configuration = SessionConfiguration()
        for name in names + ["X-Public"] {
            configuration.headers.append(name: name, value: "sent")
        }
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        let value = try await session.request(home.url).serializingString().value
        #expect(value == "there")
        #expect(names.map { home.received.first?.header($0) } == ["sent", "sent", "sent"])
        #expect(names.map { other.received.first?.header($0) } == [nil, nil, nil])
        #expect(other.received.first?.header("X-Public") == "sent")
        #expect(other.received.first?.header("User-Agent") != nil)
    }

    @Test func `a redirect within an origin keeps the credentials in the session's headers`()
        async throws
    {
        let server = try ScriptedServer { request in
            request.number == 1
                ? ScriptedServer.response(302, "", headers: [("Location", "/b")])
                : ScriptedServer.response(200, "x")
        }
        var configuration = SessionConfiguration()
        configuration.headers.append(name: "Authorization", value: "sent")
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        _ = try await session.request(server.url).serializingData().value
        #expect(server.received.map { $0.header("Authorization") } == ["sent", "sent"])
    }

    @Test func `a redirect through another origin back to the first does not restore credentials`()
        async throws
    {
        // The other origin has chosen where the last request goes.
        let home = try ScriptedServer { request in
            request.head.targetText == "/chosen"
                ? ScriptedServer.response(200, "x")
                : ScriptedServer.response(
                    302, "", headers: [("Location", request.header("X-Other") ?? "")])
        }
        let other = try Self.redirecting(to: home.url + "/chosen")
        var configuration = SessionConfiguration()
        configuration.headers.append(name: "Authorization", value: "sent")
        configuration.headers.append(name: "X-Other", value: other.url)
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        _ = try await session.request(home.url).serializingData().value
        #expect(home.received.map { $0.header("Authorization") } == ["sent", nil])
    }

    @Test func `the retry policy does not retry a POST that a redirect turned into a GET`()
        async throws
    {
        let server = try ScriptedServer { request in
            request.head.targetText == "/buy"
                ? ScriptedServer.response(303, "", headers: [("Location", "/receipt")])
                : ScriptedServer.response(503, "no")
        }
        var policy = RetryPolicy()
        policy.exponentialBackoffScale = 0
        let request = Session.default.request(
            server.url + "/buy", method: .post, interceptor: policy
        ).validate()
        _ = await request.serializingData().response
        #expect(server.received.map { $0.head.targetText } == ["/buy", "/receipt"])
        #expect(request.adaptedRequest?.method == .post)
        #expect(request.request?.method == .get)
    }
}
