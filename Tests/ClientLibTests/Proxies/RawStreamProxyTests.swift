import ClientLib
import ProxydClientTestSupport
import Testing

/// Connections without HTTP through proxies.
struct RawStreamProxyTests {
    private static let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    private func proxied(_ proxy: TestProxy, _ kind: ProxyServer.Kind) -> Session {
        var configuration = SessionConfiguration()
        configuration.proxy = ProxySettings(
            ProxyServer(
                kind, host: "127.0.0.1", port: proxy.port,
                credential: Credential(user: "me", password: "pw")))
        return Session(configuration: configuration)
    }

    @Test func `a raw stream goes through a CONNECT tunnel of an HTTP proxy`() async throws {
        let server = try ScriptedServer { _ in [.text("hello"), .close] }
        let proxy = try TestProxy(.http(wants: "Basic bWU6cHc="))
        let session = proxied(proxy, .http)
        let stream = session.stream(withHostName: "127.0.0.1", port: server.port)
        try await stream.write(Self.request)
        #expect(try await stream.read(atLeast: 5) == Array("hello".utf8))
        #expect(proxy.asked == ["CONNECT 127.0.0.1:\(server.port) Basic bWU6cHc="])
    }

    @Test func `a raw stream goes through a SOCKS proxy`() async throws {
        let server = try ScriptedServer { _ in [.text("hello"), .close] }
        let proxy = try TestProxy(.socks(user: "me", password: "pw"))
        let session = proxied(proxy, .socks5)
        let stream = session.stream(withHostName: "127.0.0.1", port: server.port)
        try await stream.write(Self.request)
        #expect(try await stream.read(atLeast: 5) == Array("hello".utf8))
        #expect(proxy.asked == ["SOCKS 1 127.0.0.1:\(server.port)"])
    }

    @Test func `bytes that arrive together with a proxy's CONNECT response are not lost`()
        async throws
    {
        let proxy = try TestProxy(.says("HTTP/1.1 200 OK\r\n\r\n220 mail.test ready\r\n"))
        let session = proxied(proxy, .http)
        let stream = session.stream(withHostName: "mail.test", port: 25)
        let greeting = try await stream.read(atLeast: 21)
        #expect(greeting == Array("220 mail.test ready\r\n".utf8))
    }

    @Test func `a refused CONNECT for a raw stream is reported with the proxy's status`()
        async throws
    {
        let proxy = try TestProxy(.says("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"))
        let session = proxied(proxy, .http)
        let stream = session.stream(withHostName: "mail.test", port: 25)
        let error = await #expect(throws: ClientError.self) { try await stream.connect() }
        #expect(error?.underlying as? ProxyError == .refused(status: 403))
    }

    @Test func `a raw stream to a host on the bypass list does not use the proxy`() async throws {
        let server = try ScriptedServer { _ in [.text("hello"), .close] }
        let proxy = try TestProxy(.closes)
        var configuration = SessionConfiguration()
        configuration.proxy = ProxySettings(
            ProxyServer(host: "127.0.0.1", port: proxy.port), bypass: ProxyBypass("127.0.0.1"))
        let session = Session(configuration: configuration)
        let stream = session.stream(withHostName: "127.0.0.1", port: server.port)
        try await stream.write(Self.request)
        #expect(try await stream.read(atLeast: 5) == Array("hello".utf8))
    }
}
