import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

struct HostPatternTests {
    @Test(arguments: [
        ("*", "anything.example", 1, true),
        ("example.com", "example.com", 443, true),
        ("example.com", "EXAMPLE.com.", 443, true),
        ("Example.COM.", "example.com", 443, true),
        ("example.com", "www.example.com", 443, false),
        ("example.com", "example.com.evil.test", 443, false),
        ("*.example.com", "a.b.example.com", 443, true),
        ("*.example.com", "example.com", 443, false),
        ("*.example.com", ".example.com", 443, false),
        ("*.example.com", "badexample.com", 443, false),
        ("example.com:8443", "example.com", 8_443, true),
        ("example.com:8443", "example.com", 443, false),
        ("*:22", "h", 22, true),
        ("*:22", "h", 23, false),
        ("192.0.2.1", "192.0.2.1", 80, true),
        ("192.0.2.1", "::ffff:192.0.2.1", 80, true),
        ("10.0.0.0/8", "10.255.1.2", 80, true),
        ("10.0.0.0/8", "11.0.0.1", 80, false),
        ("10.0.0.0/8", "10.example.com", 80, false),
        ("10.128.0.0/9:443", "10.200.0.1", 443, true),
        ("10.128.0.0/9:443", "10.100.0.1", 443, false),
        ("0.0.0.0/0", "203.0.113.9", 80, true),
        ("0.0.0.0/0", "::1", 80, false),
        ("2001:db8::1", "2001:DB8:0::1", 80, true),
        ("2001:db8::1", "[2001:db8::1]", 80, true),
        ("[2001:db8::1]:443", "2001:db8::1", 443, true),
        ("[2001:db8::1]:443", "2001:db8::1", 444, false),
        ("[fd00::/8]:443", "fd12::1", 443, true),
    ])
    func `a host pattern matches a name, wildcard, address or network, and optionally a port`(
        pattern: String,
        host: String,
        port: Int,
        isMeant: Bool
    ) throws {
        let port = try #require(UInt16(exactly: port))
        #expect(try HostPattern(pattern).matches(host: host, port: port) == isMeant)
    }

    @Test(arguments: [
        "", "*.", "*.*", "a*b", "*example.com", "exa mple", "host:", "host:0", "host:65536",
        "host:x", "[::1", "[::1]x", "10.0.0.0/33", "::/129", "10.0.0.0/", "münchen.example",
        "http://example.com", ".example.com",
    ])
    func `an invalid host pattern is rejected`(text: String) {
        #expect(throws: ConfigurationValueError.self) { try HostPattern(text) }
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8_080, true), ("[::1]:0", "::1", 0, true),
        ("0.0.0.0:80", "0.0.0.0", 80, false), ("[::]:80", "::", 80, false),
        ("127.9.9.9:1", "127.9.9.9", 1, true), ("192.168.0.1:1", "192.168.0.1", 1, false),
    ])
    func `a listen address is parsed into IP address and port and classified as loopback or not`(
        text: String,
        ip: String,
        port: Int,
        isLoopback: Bool
    ) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.ip == ip)
        #expect(Int(address.port) == port)
        #expect(address.isLoopback == isLoopback)
        #expect(address.text == text)
    }

    @Test(arguments: [
        "", "8080", ":8080", "localhost:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
        "::1:80", "[127.0.0.1]:80", "127.0.0.1/8:80", "127.0.0.1:-1",
    ])
    func `a listen address without a valid IP address and port is rejected`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: ["", "0", "65536", "9-1", "1-", "-1", "a", "1-2-3"])
    func `an invalid port range is rejected`(text: String) {
        #expect(PortRange(text) == nil)
    }

    @Test(arguments: ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "::1"])
    func `an IP network that is parsed and written back has the same text`(text: String) {
        #expect(IPNetwork(text)?.description == text)
    }
}
