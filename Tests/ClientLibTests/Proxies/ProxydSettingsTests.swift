import ClientLib
import ProxydClientTestSupport
import Testing

@testable import ProxydTLS

struct ProxydSettingsTests {
    @Test func `proxy settings for proxyd send requests through the proxy and trust its CA`()
        async throws
    {
        let authority = try TestAuthority()
        let server = try ScriptedServer.secure(authority.context(authority.leaf()))
        let proxy = try TestProxy(.http())
        var configuration = SessionConfiguration()
        configuration.proxy = .proxyd(port: proxy.port, dataDirectory: authority.directory)
        let session = Session(configuration: configuration)
        let body = try await session.request(server.secureURL).serializingData().value
        #expect(body == Array("secret".utf8))
        #expect(proxy.asked.count == 1)
    }

    @Test func `proxy settings from the environment obey http_proxy and no_proxy`() async throws {
        let proxy = try ScriptedServer { _ in ScriptedServer.response(200, "through") }
        var configuration = SessionConfiguration()
        configuration.proxy = try ProxySettings(environment: [
            "http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "direct.invalid",
        ])
        let session = Session(configuration: configuration)
        let body = try await session.request("http://a.invalid/").serializingData().value
        #expect(body == Array("through".utf8))
        let direct = await session.request("http://direct.invalid/").serializingData().response
        #expect(direct.error?.kind != .proxyFailed)
        #expect(direct.error != nil)
        #expect(proxy.received.count == 1)
    }
}
