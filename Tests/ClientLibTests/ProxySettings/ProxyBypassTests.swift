import ClientLib
import Testing

struct ProxyBypassTests {
    @Test(arguments: [
        ("*", "anything", true), ("example.com", "example.com", true),
        ("example.com", "WWW.Example.COM", true), ("example.com", "notexample.com", false),
        (".example.com", "a.example.com", true), (".example.com", "example.com", true),
        ("*.example.com", "a.b.example.com", true), ("example.com.", "example.com", true),
        ("example.com", "example.com.", true), ("example.com", "com", false), ("", "h", false),
        ("a,,b  c", "c", true), ("localhost", "127.0.0.1", false), ("127.0.0.1", "127.0.0.1", true),
        ("0.0.1", "127.0.0.1", false), ("127.0.0.0/8", "127.1.2.3", true),
        ("10.0.0.0/9", "10.127.0.1", true), ("10.0.0.0/9", "10.128.0.1", false),
        ("10.0.0.1/32", "10.0.0.1", true), ("10.0.0.1/32", "10.0.0.2", false),
        ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false), ("::1", "::1", true),
        ("[::1]", "0:0:0:0:0:0:0:1", true), ("fe80::/10", "fe80::1", true),
        ("fe80::/10", "fec0::1", false), ("10.0.0.0/33", "10.0.0.0", false), ("x/8", "x", false),
        ("10.0.0.0/-1", "10.0.0.0", false), ("10.0.0.0/", "10.0.0.0", false),
    ])
    func `a proxy bypass list matches domains with their subdomains, and addresses by prefix`(
        list: String, host: String, matches: Bool
    ) {
        #expect(ProxyBypass(list).contains(host: host, port: 80) == matches)
    }

    @Test(arguments: [
        ("h:80", UInt16(80), true), ("h:80", 81, false), ("h", 81, true), ("[::1]:80", 80, false),
        ("h:x", 80, false), ("h:99999", 80, false),
    ])
    func `a proxy bypass entry with a port matches only that port`(
        list: String, port: UInt16, matches: Bool
    ) {
        #expect(ProxyBypass(list).contains(host: "h", port: port) == matches)
    }

    @Test func `an IP address in a proxy bypass list may have a port`() {
        #expect(ProxyBypass("[::1]:80").contains(host: "::1", port: 80))
        #expect(!ProxyBypass("[::1]:80").contains(host: "::1", port: 81))
        #expect(ProxyBypass("1.2.3.4:80").contains(host: "1.2.3.4", port: 80))
        #expect(!ProxyBypass("1.2.3.4:80").contains(host: "1.2.3.4", port: 81))
    }
}
