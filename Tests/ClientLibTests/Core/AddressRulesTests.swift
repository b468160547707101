import ClientLib
import ProxydClientTestSupport
import Testing

/// Where a session connects to, whatever names say.
struct AddressRulesTests {
    private func session(_ rules: AddressRules) -> Session {
        var configuration = SessionConfiguration()
        configuration.addressRules = rules
        return Session(configuration: configuration)
    }

    @Test func `a host name with a configured address is not looked up in DNS but is sent as Host`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        var rules = AddressRules()
        rules.resolve("No.Such.Name.", port: server.port, to: "127.0.0.1")
        let url = "http://no.such.name:\(server.port)/"
        let session = session(rules)
        let text = try await session.request(url).serializingString().value
        #expect(text == "ok")
        #expect(server.received.first?.head.fields["Host"] == "no.such.name:\(server.port)")
    }

    @Test func `no connection is made to an address that the session's rules do not allow`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let session = session(AddressRules { $0 != "127.0.0.1" })
        let error = await session.request("http://127.0.0.1:\(server.port)/")
            .serializingString().response.error
        #expect(error?.kind == .network(.refused))
        #expect(
            error?.message.contains(
                "the address of 127.0.0.1:\(server.port) is not allowed: 127.0.0.1") == true)
        #expect(server.received.isEmpty)
    }
}
