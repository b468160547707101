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

    @Test func `a proxy gets the whole URL, and one connection serves all hosts`() async throws {
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

    @Test func `a body is sent again when the proxy asks for Digest`() async throws {
        let proxy = try Self.digestProxy()
        let session = session(
            ProxyServer(host: "127.0.0.1", port: proxy.port, credential: Self.credential))
        var request = HTTPRequest(method: .post, url: RawURL("http://a.invalid/"))
        request.body = .bytes(Array("once more".utf8))
        let body = try await session.request(request).serializingData().value
        #expect(body == Array("once more".utf8))
        #expect(proxy.received.map(\.bodyText) == ["once more", "once more"])
    }

    @Test func `a proxy that does not take the credentials is the caller's to see`() async throws {
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

    @Test func `a server's own 407 is a response like any other`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(407, "odd") }
        let session = Session()
        let response = await session.request(server.url).serializingData().response
        #expect(response.response?.status == 407)
        #expect(response.error == nil)
    }

    @Test func `what is bypassed goes straight to the server`() async throws {
        let proxy = try ScriptedServer { _ in ScriptedServer.response(200, "through") }
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "direct") }
        let session = session(
            ProxyServer(host: "127.0.0.1", port: proxy.port), bypass: "127.0.0.0/8")
        let body = try await session.request(server.url).serializingData().value
        #expect(body == Array("direct".utf8))
        #expect(proxy.connectionCount == 0)
    }

    @Test func `SOCKS looks names up itself, or is given addresses`() async throws {
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

    @Test func `a file is sent again when the proxy asks for Digest`() async throws {
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

    @Test func `a body that is there only once is not sent again, and the proxy is to blame`()
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
