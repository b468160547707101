import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydTLS

/// https through proxies.
struct TunnelTests {
    private let authority: TestAuthority
    private let server: ScriptedServer

    init() throws {
        authority = try TestAuthority()
        server = try .secure(authority.context(authority.leaf()))
    }

    private func response(
        through proxy: TestProxy, _ kind: ProxyServer.Kind = .http,
        _ credential: Credential? = nil, from url: String? = nil
    ) async -> DataResponse<[UInt8]> {
        var configuration = authority.configuration
        configuration.proxy = ProxySettings(
            ProxyServer(kind, host: "127.0.0.1", port: proxy.port, credential: credential))
        let session = Session(configuration: configuration)
        return await session.request(url ?? server.secureURL).serializingData().response
    }

    private func proxyError(_ response: DataResponse<[UInt8]>) throws -> ProxyError {
        let error = try #require(response.error)
        #expect(error.kind == .proxyFailed)
        #expect(error.phase == .proxy)
        #expect(server.received.isEmpty)
        #expect(!error.description.contains("secret"))
        return try #require(error.underlying as? ProxyError)
    }

    private static let credential = Credential(user: "me", password: "secret")

    @Test
    func `the timeline of an HTTPS request through a CONNECT tunnel has connect and TLS times`()
        async throws
    {
        let proxy = try TestProxy(.http())
        let response = await response(through: proxy)
        #expect(try response.result.get() == Array("secret".utf8))
        #expect(proxy.asked == ["CONNECT 127.0.0.1:\(server.port) "])
        #expect(server.received.first?.head.targetText == "/")
        #expect(server.received.first?.header("Proxy-Authorization") == nil)
        let timeline = try #require(response.exchanges.first?.timeline)
        let connectEnd = try #require(timeline[.connectEnd])
        let tlsStart = try #require(timeline[.tlsStart])
        #expect(connectEnd <= tlsStart)
        #expect(try tlsStart <= #require(timeline[.tlsEnd]))
    }

    @Test func `a CONNECT tunnel is reused by later requests`() async throws {
        let proxy = try TestProxy(.http())
        var configuration = authority.configuration
        configuration.proxy = ProxySettings(ProxyServer(host: "127.0.0.1", port: proxy.port))
        let session = Session(configuration: configuration)
        for _ in 0..<3 {
            _ = try await session.request(server.secureURL).serializingData().value
        }
        #expect(proxy.asked.count == 1)
    }

    @Test func `Basic credentials are sent preemptively in the CONNECT request`() async throws {
        let proxy = try TestProxy(.http(wants: "Basic bWU6c2VjcmV0"))
        #expect(await response(through: proxy, .http, Self.credential).error == nil)
        #expect(proxy.asked.count == 1)
    }

    @Test func `a proxy's Digest challenge to a CONNECT is answered`() async throws {
        let challenge = "Digest realm=\"p\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
        let proxy = try TestProxy(.http(wants: "Digest ", challenge: challenge))
        #expect(await response(through: proxy, .http, Self.credential).error == nil)
        #expect(proxy.asked.count == 2)
        #expect(proxy.asked.last?.contains("uri=\"127.0.0.1:\(server.port)\"") == true)
    }

    @Test
    func `missing or wrong credentials for a CONNECT tunnel are reported as the caller's fault`()
        async throws
    {
        for credential in [nil, Self.credential] {
            let proxy = try TestProxy(.http(wants: "Basic other"))
            let response = await response(through: proxy, .http, credential)
            #expect(try proxyError(response) == .authenticationRequired(schemes: ["Basic"]))
            #expect(response.error?.fault == .caller)
            #expect(proxy.asked.count == 1)
        }
    }

    @Test func `a 502 response to a CONNECT is a proxy error and reported as the server's fault`()
        async throws
    {
        let silent = try SilentPort()
        let response = await response(
            through: try TestProxy(.http()), from: "https://127.0.0.1:\(silent.port)")
        #expect(try proxyError(response) == .refused(status: 502))
        #expect(response.error?.fault == .server)
    }

    @Test func `each kind of bad response to a CONNECT is reported as a specific proxy error`()
        async throws
    {
        let cases: [(TestProxy.Manner, ProxyError)] = [
            (.closes, .closedEarly),
            (.says("HTTP/1.1 403 No\r\n\r\n"), .refused(status: 403)),
            (.says("SSH-2.0-proxy\r\n\r\n"), .handshakeFailed(.malformedResponse)),
            (.says([0, 1, 2, 3, 10, 10]), .handshakeFailed(.malformedResponse)),
            (.says("HTTP/1.1 200 Go\r\n\r\nmore"), .unexpectedBytes),
        ]
        for (manner, expected) in cases {
            let response = await response(through: try TestProxy(manner))
            #expect(try proxyError(response) == expected)
        }
    }

    @Test func `an unreachable proxy is reported as a network fault, not as the server's`()
        async throws
    {
        let absent = try SilentPort()
        var configuration = authority.configuration
        configuration.proxy = ProxySettings(ProxyServer(host: "127.0.0.1", port: absent.port))
        for url in [server.secureURL, "http://example.invalid/"] {
            let session = Session(configuration: configuration)
            let response = await session.request(url).serializingData().response
            #expect(try proxyError(response) == .unreachable(.connectionRefused))
            #expect(response.error?.fault == .network)
        }
    }

    @Test
    func `an untrusted certificate of a server behind a proxy is reported as the server's fault`()
        async throws
    {
        let stranger = try TestAuthority()
        let server = try ScriptedServer.secure(stranger.context(stranger.leaf()))
        var configuration = authority.configuration
        configuration.proxy = ProxySettings(
            ProxyServer(host: "127.0.0.1", port: try TestProxy(.http()).port))
        configuration.serverTrustManager = ServerTrustManager(
            evaluators: ["127.0.0.1": DefaultTrustEvaluator()])
        let session = Session(configuration: configuration)
        let error = await session.request(server.secureURL).serializingData().response.error
        #expect(error?.kind == .serverTrustEvaluationFailed)
        #expect(error?.fault == .server)
        #expect(server.received.isEmpty)
    }

    @Test(arguments: [ProxyServer.Kind.http, .socks5])
    func `an HTTP or SOCKS proxy that does not respond causes a connect timeout`(
        kind: ProxyServer.Kind
    ) async throws {
        var configuration = authority.configuration
        configuration.timeouts.connect = .milliseconds(20)
        let proxy = try TestProxy(.says([]))
        configuration.proxy = ProxySettings(ProxyServer(kind, host: "127.0.0.1", port: proxy.port))
        let session = Session(configuration: configuration)
        let error = await session.request(server.secureURL).serializingData().response.error
        #expect(error?.kind == .timedOut(.connect))
        #expect(server.received.isEmpty)
    }

    // MARK: SOCKS

    @Test func `an HTTPS request goes through a SOCKS proxy, with and without a password`()
        async throws
    {
        let open = try TestProxy(.socks())
        #expect(await response(through: open, .socks5).error == nil)
        #expect(open.asked == ["SOCKS 1 127.0.0.1:\(server.port)"])
        let guarded = try TestProxy(.socks(user: "me", password: "secret"))
        #expect(await response(through: guarded, .socks5h, Self.credential).error == nil)
    }

    @Test func `SOCKS errors are reported with their cause and the party at fault`()
        async throws
    {
        let guarded = try TestProxy(.socks(user: "me", password: "other"))
        let wrong = await response(through: guarded, .socks5, Self.credential)
        #expect(try proxyError(wrong) == .handshakeFailed(.authenticationFailed))
        #expect(wrong.error?.fault == .caller)
        let none = await response(through: guarded, .socks5)
        #expect(try proxyError(none) == .handshakeFailed(.noAcceptableMethod))
        let garbage = await response(through: try TestProxy(.says("HTTP/1.1 400 ?")), .socks5)
        #expect(try proxyError(garbage) == .handshakeFailed(.notSOCKS5))
        let closed = await response(through: try TestProxy(.closes), .socks5)
        #expect(try proxyError(closed) == .closedEarly)
        let silent = try SilentPort()
        let refused = await response(
            through: try TestProxy(.socks()), .socks5, from: "https://127.0.0.1:\(silent.port)")
        #expect(try proxyError(refused) == .handshakeFailed(.connectionRefused))
        #expect(refused.error?.fault == .server)
    }
}
