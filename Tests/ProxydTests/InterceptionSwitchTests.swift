import ProxydConfigurationText
import ProxydTLS
import Testing

@testable import ProxydDaemonConfiguration
@testable import proxyd

/// A host is switched between interception and passing unread, for as long as the daemon runs.
struct InterceptionSwitchTests {
    private func configured(_ text: String) throws -> Configuration.TLS {
        try ConfigurationReader.read(text, file: "f").tls
    }

    @Test
    func `toggling TLS interception of a host overrides the configuration until the next toggle`()
        throws
    {
        let tls = try configured("[tls]\npass_through = [\"bank.test\"]\n")
        let interception = InterceptionSwitch(tls, .unlimited)
        #expect(interception["api.test", 443] && !interception["bank.test", 443])
        #expect(try interception.toggle("Bank.test", 443) == true)
        #expect(try interception.toggle("api.test", 443) == false)
        #expect(!interception["API.test", 443] && interception["bank.test", 443])
        #expect(interception.switched.map(\.host) == ["api.test", "bank.test"])
        #expect(try interception.toggle("api.test", 443) == true)
        #expect(interception["api.test", 443])
    }

    @Test
    func `toggling TLS interception of a host survives a configuration reload`()
        throws
    {
        let interception = InterceptionSwitch(try configured(""), .unlimited)
        #expect(try interception.toggle("a.test", 443) == false)
        interception.use(try configured("[tls]\nintercept = [\"*\"]\n"))
        #expect(!interception["a.test", 443])
    }

    @Test func `TLS interception cannot be enabled for a host outside the CA's name constraints`()
        throws
    {
        let scope = try #require(AuthorityScope(names: ["ours.test"]))
        let interception = InterceptionSwitch(try configured(""), scope)
        #expect(
            throws: InterceptionSwitch.Refusal(
                message: "the CA is not permitted to issue certificates for other.test: "
                    + "its TLS is not intercepted")
        ) { try interception.toggle("other.test", 443) }
        #expect(!interception["other.test", 443] && interception["www.ours.test", 443])
    }

    @Test
    func `TLS interception can be toggled for up to 1,000 hosts, any number of times for each`()
        throws
    {
        let interception = InterceptionSwitch(try configured(""), .unlimited)
        for number in 0..<1_000 { _ = try interception.toggle("h\(number).test", 443) }
        #expect(throws: InterceptionSwitch.Refusal.self) {
            try interception.toggle("one-more.test", 443)
        }
        #expect(interception["one-more.test", 443])
        #expect(try interception.toggle("h7.test", 443))
    }
}
