import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

/// http through proxies.
struct PlainProxyTests {
    private func session(_ server: ProxyServer, bypass: String = "") -> Session {
        var configuration = SessionConfiguration()
        configuration.proxy = ProxySettings(server, bypass: ProxyBypass(bypass))
        return Session(configuration: configuration)
    }

    private static let credential = Credential(user: "me", password: "secret")

    @Test
    func `a request to a proxy has the absolute URL, and one proxy connection serves all hosts`()
        async throws
    {
        let proxy = try ScriptedServer { _ in ScriptedServer.response(200, "through") }
        let session = session(
            ProxyServer(host: "127.0.0.1", port: proxy.port, credential: Self.credential))
        for host in ["a.invalid", "b.invalid:81"] {
            let response = await session.request("http://\(host)/x?y").serializingData().response
            #expect(try response.result.get() == Array("through".utf8))
            let received = try #require(proxy.received.last)
            #expect(received.head.targetText == "http://\(host)/x?y")
            #expect(received.header("Host") == host)
            #expect(received.header("Proxy-Authorization") == "Basic bWU6c2VjcmV0")
            // What is recorded is for the server, without the proxy's secrets.
            let recorded = try #require(response.exchanges.first?.request)
            #expect(recorded.head?.fields["Proxy-Authorization"] == nil)
        }
        #expect(proxy.connectionCount == 1)
    }

    @Test func `the request body is sent again after a proxy's Digest challenge`() async throws {
        let proxy = try Self.digestProxy()
        let session = session(
            ProxyServer(host: "127.0.0.1", port: proxy.port, credential: Self.credential))
        var request = HTTPRequest(method: .post, url: RawURL("http://a.invalid/"))
        request.body = .bytes(Array("once more".utf8))
        let body = try await session.request(request).serializingData().value
        #expect(body == Array("once more".utf8))
        #expect(proxy.received.map(\.bodyText) == ["once more", "once more"])
    }

    @Test func `missing or wrong credentials for an HTTP proxy are reported as the caller's fault`()
        async throws
    {
        let proxy = try ScriptedServer { _ in
            ScriptedServer.response(
                407, "no", headers: [("Proxy-Authenticate", "Basic realm=\"p\"")])
        }
        for credential in [nil, Self.credential] {
            let session = session(
                ProxyServer(host: "127.0.0.1", port: proxy.port, credential: credential))
            let error = try #require(
                await session.request("http://a.invalid/").serializingData().response.error)
            #expect(error.kind == .proxyFailed)
            #expect(error.phase == .proxy)
            #expect(error.fault == .caller)
            #expect(
                error.underlying as? ProxyError == .authenticationRequired(schemes: ["Basic"]))
        }
        #expect(proxy.received.count == 2)
    }

    @Test func `a 407 from a server that is not a proxy is returned as an ordinary response`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(407, "odd") }
        let session = Session()
        let response = await session.request(server.url).serializingData().response
        #expect(response.response?.status == 407)
        #expect(response.error == nil)
    }

    @Test func `a host on the bypass list is reached without the proxy`() async throws {
        let proxy = try ScriptedServer { _ in ScriptedServer.response(200, "through") }
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "direct") }
        let session = session(
            ProxyServer(host: "127.0.0.1", port: proxy.port), bypass: "127.0.0.0/8")
        let body = try await session.request(server.url).serializingData().value
        #expect(body == Array("direct".utf8))
        #expect(proxy.connectionCount == 0)
    }

    @Test func `socks5h sends the host name to the proxy, socks5 the resolved address`()
        async throws
    {
        let server = try ScriptedServer { ScriptedServer.response(200, $0.head.targetText) }
        let proxy = try TestProxy(.socks())
        let remote = session(ProxyServer(.socks5h, host: "127.0.0.1", port: proxy.port))
        let url = "http://name.invalid:\(server.port)/x"
        #expect(try await remote.request(url).serializingData().value == Array("/x".utf8))
        #expect(proxy.asked == ["SOCKS 3 name.invalid:\(server.port)"])
        let local = session(ProxyServer(.socks5, host: "127.0.0.1", port: proxy.port))
        let known = "http://localhost:\(server.port)/y"
        #expect(try await local.request(known).serializingData().value == Array("/y".utf8))
        #expect(proxy.asked.last == "SOCKS 1 127.0.0.1:\(server.port)")
    }

    /// Asks for Digest, then echoes.
    private static func digestProxy() throws -> ScriptedServer {
        try ScriptedServer { received in
            if received.header("Proxy-Authorization")?.hasPrefix("Digest ") == true {
                return ScriptedServer.response(200, received.body)
            }
            return ScriptedServer.response(
                407, "who",
                headers: [
                    ("Proxy-Authenticate", "Digest realm=\"p\", nonce=\"n\", qop=\"auth\"")
                ])
        }
    }

    @Test func `a request body from a file is sent again after a proxy's Digest challenge`()
        async throws
    {
        let scratch = try ScratchFolder()
        let path = try scratch.file("body", Array("once more".utf8)).path
        let proxy = try Self.digestProxy()
        let session = session(
            ProxyServer(host: "127.0.0.1", port: proxy.port, credential: Self.credential))
        let text = try await session.upload(.file(path: path), to: "http://a.invalid/")
            .serializingString().value
        #expect(text == "once more")
        #expect(proxy.received.map(\.bodyText) == ["once more", "once more"])
    }

    @Test
    func `after a proxy's challenge, a body readable only once causes an error, not a resend`()
        async throws
    {
        let proxy = try Self.digestProxy()
        let session = session(
            ProxyServer(host: "127.0.0.1", port: proxy.port, credential: Self.credential))
        let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        continuation.yield(Array("once".utf8))
        continuation.finish()
        let error = await session.upload(BodyStream(pieces), to: "http://a.invalid/")
            .serializingData().response.error
        #expect(error?.kind == .proxyFailed)
        #expect(proxy.received.count == 1)
    }
}
