import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

/// Networks: what is in them, whose they are, and which spellings are the same.
struct NetworkTests {
    @Test(arguments: [
        ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false),
        ("10.0.0.0/31", "10.0.0.1", true), ("10.0.0.0/31", "10.0.0.2", false),
        ("10.0.0.5/31", "10.0.0.4", true), ("192.168.0.0/17", "192.168.127.255", true),
        ("192.168.0.0/17", "192.168.128.0", false), ("::/0", "ffff::", true),
        ("fd00::/9", "fd7f::1", true), ("fd00::/9", "fd80::1", false),
        ("2001:db8::/127", "2001:DB8::1", true), ("2001:db8::/127", "2001:db8::2", false),
        ("169.254.0.0/16", "::ffff:169.254.169.254", true),
        ("::ffff:10.0.0.1", "10.0.0.1", true), ("::10.0.0.1", "10.0.0.1", false),
        ("10.0.0.0/8", "10.0.0.1\0", false), ("10.0.0.0/8", "10.1", false),
        ("10.0.0.0/8", "[10.0.0.1]", false), ("10.0.0.0/8", "", false),
    ])
    func `an IP network contains the addresses that share its leading bits`(
        _ network: String, _ address: String, _ isIn: Bool
    ) throws {
        #expect(try #require(IPNetwork(network)).contains(address) == isIn)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8",
        "a.test", "[::1]", "010.0.0.1", "0x7f.0.0.1", "1.2.3.4 ", "::1%lo", "1.2.3.4\0/8",
        "10.0.0.0/256", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
    ])
    func `an invalid IP network is rejected`(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", true, false), ("10.0.0.0/7", false, true), ("172.16.0.0/12", true, false),
        ("172.32.0.0/12", false, true), ("192.168.3.4", true, false),
        ("100.64.0.0/10", true, false),
        ("100.128.0.0/10", false, true), ("8.8.0.0/16", false, false), ("8.8.0.0/15", false, true),
        ("fc00::/7", true, false), ("fc00::/6", false, true), ("2001:db8::/32", false, false),
        ("2001:db8::/31", false, true), ("::1", true, false), ("::/0", false, true),
        ("0.0.0.0/0", false, true), ("::ffff:10.0.0.1", true, false), ("169.254.1.1", true, false),
    ])
    func `an IP network is classified as private or public, and as too wide for one owner or not`(
        _ text: String, _ isPrivate: Bool, _ isOpen: Bool
    ) throws {
        let network = try #require(IPNetwork(text))
        #expect(network.isPrivate == isPrivate)
        #expect(network.isOpenToStrangers == isOpen)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.255.255", true), ("127.0.0.0/8", true),
        ("127.0.0.0/7", false), ("::1", true), ("::1/127", false), ("::ffff:127.0.0.1", true),
        ("::2", false), ("0.0.0.0", false),
    ])
    func `an IP network is loopback only if all its addresses are`(
        _ text: String, _ isLoopback: Bool
    ) throws {
        #expect(try #require(IPNetwork(text)).isLoopback == isLoopback)
    }

    @Test func `loopback clients are always allowed, but may send a PROXY header only if trusted`()
        throws
    {
        let guests = ClientAccess([try #require(IPNetwork("10.0.0.0/8"))])
        for address in ["127.0.0.1", "::1", "::ffff:127.9.9.9", "10.1.2.3", "::ffff:10.1.2.3"] {
            #expect(guests.allows(address), "\(address)")
        }
        for address in ["11.0.0.1", "", "fe80::1", "a.test"] {
            #expect(!guests.allows(address), "\(address)")
        }
        #expect(!guests.trusts("127.0.0.1") && !guests.trusts("10.1.2.3"))
        let balanced = ClientAccess([], [try #require(IPNetwork("::1"))])
        #expect(balanced.trusts("::1") && !balanced.trusts("127.0.0.1"))
    }

    @Test
    func `connections to denied networks are refused; unverified hosts skip TLS verification`()
        throws
    {
        let rules = try ServerRules(
            extraCAFiles: [], unverifiedHosts: ["*.test:8443"], deniedNetworks: ["10.0.0.0/8"])
        #expect(!rules.verifies(host: "a.test", port: 8443))
        #expect(
            rules.verifies(host: "a.test", port: 443) && rules.verifies(host: "test", port: 8443))
        #expect(rules.denies(address: "10.0.0.1") && !rules.denies(address: "11.0.0.1"))
        #expect(throws: ConfigurationValueError.self) {
            _ = try ServerRules(extraCAFiles: [], unverifiedHosts: ["a b"], deniedNetworks: [])
        }
        #expect(throws: ConfigurationValueError.self) {
            _ = try ServerRules(extraCAFiles: [], unverifiedHosts: [], deniedNetworks: ["a.test"])
        }
        let usual = ServerRules(Configuration())
        #expect(usual.denies(address: "169.254.169.254") && usual.denies(address: "fe80::1"))
        #expect(usual.verifies(host: "a.test", port: 443))
    }
}
