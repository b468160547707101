import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

/// What crashes, hangs or goes wrong in Alamofire 5.12 on Linux, working.
struct AlamofireOnLinuxTests {
    @Test func `a request can be retried after a response that had a body`() async throws {
        let server = try ScriptedServer {
            $0.number < 3
                ? ScriptedServer.response(503, "busy") : ScriptedServer.response(200, "done")
        }
        var policy = RetryPolicy(retryLimit: 2)
        policy.exponentialBackoffScale = 0
        let progress = Collector<Int64>()
        let response = await Session.default.request(server.url, interceptor: policy)
            .downloadProgress { progress.add($0.completedByteCount) }
            .validate().serializingString().response
        #expect(try response.result.get() == "done")
        #expect(response.exchanges.compactMap { $0.response?.status } == [503, 503, 200])
        #expect(progress.all.last == 4)
    }

    @Test func `a multipart upload arrives at the server`() async throws {
        let server = try ScriptedServer { ScriptedServer.response(200, $0.bodyText) }
        let text = try await Session.default.upload(
            multipartFormData: { $0.append("Ada", name: "name") }, to: server.url
        ).serializingString().value
        #expect(text.contains("form-data; name=\"name\"\r\n\r\nAda\r\n--"))
    }

    @Test func `an upload from a stream arrives at the server`() async throws {
        let server = try ScriptedServer { ScriptedServer.response(200, $0.bodyText) }
        let stream = BodyStream(isReplayable: false) { Pieces([[0x61], [0x62]]) }
        let text = try await Session.default.upload(stream, to: server.url)
            .serializingString().value
        #expect(text == "ab")
    }

    @Test
    func `after a Basic challenge, the response body does not begin with the body of the 401`()
        async throws
    {
        let server = try ScriptedServer {
            $0.header("Authorization") == "Basic YWRhOnB3"
                ? ScriptedServer.response(200, "ok")
                : ScriptedServer.response(
                    401, "no", headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        let text = try await Session.default.request(server.url)
            .authenticate(username: "ada", password: "pw").serializingString().value
        #expect(text == "ok")
    }

    @Test func `a request without a credential completes with the 401 of a Basic challenge`()
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(
                401, "no", headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        let response = await Session.default.request(server.url).serializingString().response
        #expect(response.response?.status == 401)
        #expect(try response.result.get() == "no")
    }

    @Test func `a Digest challenge is answered`() async throws {
        let challenge = #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#
        let server = try ScriptedServer {
            let shown = $0.header("Authorization") ?? ""
            let isAnswer =
                shown.hasPrefix("Digest ") && shown.contains(#"username="ada""#)
                && shown.contains("nc=00000001") && !shown.contains("pw")
            return isAnswer
                ? ScriptedServer.response(200, "ok")
                : ScriptedServer.response(401, "no", headers: [("WWW-Authenticate", challenge)])
        }
        let session = Session()
        let text = try await session.request(server.url)
            .authenticate(username: "ada", password: "pw").serializingString().value
        #expect(text == "ok")
    }

    @Test
    func `the timeline of a response has the times of connecting, sending and the first byte`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let session = Session()
        let response = await session.request(server.url).serializingString().response
        let attempt = try #require(response.timeline.attempts.first)
        let connected = try #require(attempt[.connectEnd])
        let sent = try #require(attempt[.sendStart])
        let answered = try #require(attempt[.responseFirstByte])
        #expect(connected <= sent && sent <= answered)
        #expect(response.timeline.totalDuration > .zero)
    }

    @Test func `requests go through the proxy that is set in the session configuration`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "proxied") }
        var configuration = SessionConfiguration()
        configuration.proxy = ProxySettings(ProxyServer(host: "127.0.0.1", port: server.port))
        let session = Session(configuration: configuration)
        let text = try await session.request("http://nowhere.invalid/a").serializingString().value
        #expect(text == "proxied")
        #expect(server.received.first?.head.targetText == "http://nowhere.invalid/a")
    }

    @Test func `header fields are sent in the order they were added`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let names = ["X-Zebra", "X-Apple", "X-Mango", "X-apple", "X-Berry"]
        let fields = HeaderFields(names.map { (name: $0, value: "1") })
        _ = try await Session.default.request(server.url, headers: fields).serializingData().value
        let sent = try #require(server.received.first).head.fields.pairs.map(\.name)
        #expect(sent.filter { $0.hasPrefix("X-") } == names)
    }

    @Test func `several Set-Cookie fields in a response are not merged`() async throws {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(
                200, "", headers: [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
        }
        let response = await Session.default.request(server.url).serializingResponse().response
        #expect(response.response?.fields.values(named: "Set-Cookie") == ["a=1", "b=2"])
    }
}
