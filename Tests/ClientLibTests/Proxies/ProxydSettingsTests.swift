import ClientLib
import ProxydClientTestSupport
import Testing

@testable import ProxydTLS

struct ProxydSettingsTests {
    @Test func `one line leads through a running proxyd and trusts its authority`() async throws {
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

    @Test func `the environment counts where the session asks for it`() async throws {
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
