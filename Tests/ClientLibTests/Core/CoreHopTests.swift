import ClientLib
import ProxydClientTestSupport
import Testing

struct CoreHopTests {
    @Test func `a redirect is followed, and every hop is recorded as an exchange`() async throws {
        let server = try ScriptedServer { request in
            request.head.targetText == "/a"
                ? ScriptedServer.response(302, "moved", headers: [("Location", "b?c")])
                : ScriptedServer.response(200, "there")
        }
        let response = await Session.default.request(
            server.url + "/a", method: .post, body: .text("x")
        ).serializingString().response
        #expect(response.value == "there")
        #expect(response.exchanges.map { $0.response?.status } == [302, 200])
        #expect(response.exchanges[0].response?.body.kept == Array("moved".utf8))
        #expect(server.received[1].head.method == .get)
        #expect(server.received[1].head.targetText == "/b?c")
        #expect(server.connectionCount == 1)
        #expect(response.request?.url.pathText == "/b")
    }

    @Test
    func `redirect loops, too many redirects and redirects to non-HTTP schemes are typed errors`()
        async throws
    {
        let server = try ScriptedServer { request in
            switch request.head.targetText {
            case "/circle": ScriptedServer.response(302, "", headers: [("Location", "/circle")])
            case "/ftp": ScriptedServer.response(302, "", headers: [("Location", "ftp://x/")])
            default:
                ScriptedServer.response(302, "", headers: [("Location", "/n\(request.number)")])
            }
        }
        let session = Session(redirectHandler: Redirector.follow(max: 3))
        func error(_ path: String) async -> ClientError? {
            await session.request(server.url + path).serializingData().response.error
        }
        #expect(await error("/circle")?.kind == .redirectFailed(.loop))
        #expect(await error("/ftp")?.kind == .redirectFailed(.unsupportedScheme))
        #expect(await error("/many")?.kind == .redirectFailed(.tooMany))
        #expect(await error("/many")?.fault == .server)
    }

    @Test func `a request that does not follow redirects returns the redirect response`()
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(302, "moved", headers: [("Location", "/b")])
        }
        let response = await Session.default.request(server.url)
            .redirect(using: Redirector.doNotFollow).serializingString().response
        #expect(response.response?.status == 302)
        #expect(response.value == "moved")
    }

    @Test
    func `after a Basic challenge is answered, only the body of the second response is returned`()
        async throws
    {
        let server = try ScriptedServer { request in
            request.header("Authorization") == "Basic dTpw"
                ? ScriptedServer.response(200, "ok")
                : ScriptedServer.response(
                    401, "no", headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        let session = Session()
        let response = await session.request(server.url)
            .authenticate(username: "u", password: "p").serializingString().response
        #expect(response.value == "ok")
        #expect(response.exchanges.map { $0.response?.status } == [401, 200])
        let later = await session.request(server.url).serializingString().response
        #expect(later.exchanges.count == 1)
        #expect(later.value == "ok")
    }

    @Test func `a 401 is returned as the response if the credential is missing or wrong`()
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(
                401, "no", headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        let session = Session()
        let response = await session.request(server.url).serializingString().response
        #expect(response.value == "no")
        let refused = await session.request(server.url)
            .authenticate(username: "u", password: "wrong").serializingString().response
        #expect(refused.response?.status == 401)
        #expect(refused.exchanges.count == 2)
    }

    @Test func `stored cookies are sent in order, unless the request has its own Cookie field`()
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(
                200, "x",
                headers: [
                    ("Set-Cookie", "a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT"),
                    ("Set-Cookie", "b=2"),
                ])
        }
        let session = Session()
        let first = await session.request(server.url).serializingString().response
        #expect(first.response?.fields.values(named: "Set-Cookie").count == 2)
        _ = await session.request(server.url).serializingString().response
        _ = await session.request(server.url, headers: ["Cookie": "own=1"]).serializingString()
            .response
        #expect(server.received.map { $0.header("Cookie") } == [nil, "a=1; b=2", "own=1"])
    }
}
