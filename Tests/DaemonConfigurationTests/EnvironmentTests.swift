import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

/// Upstream proxies of the environment, and servers that are reached without one.
struct EnvironmentTests {
    private func proxies(_ variables: [String: String]) throws -> [String] {
        try EnvironmentUpstreams.read(variables).map { "\($0.name) \($0.url.text)" }
    }

    @Test(
        arguments: [
            ([:], []), (["http_proxy": ""], []), (["HTTP_PROXY": "a.test"], []),
            (["http_proxy": "a.test"], ["http_proxy http://a.test:80"]),
            (["https_proxy": "https://a.test"], ["https_proxy https://a.test:443"]),
            (
                ["HTTPS_PROXY": "a.test:1", "https_proxy": "b.test:2"],
                ["https_proxy http://b.test:2"]
            ),
            // An empty variable in lower case switches off the one in upper case.
            (["HTTPS_PROXY": "a.test:1", "https_proxy": ""], []),
            (
                ["all_proxy": "socks5h://[::1]"],
                ["http_proxy socks5://[::1]:1080", "https_proxy socks5://[::1]:1080"]
            ),
            (
                ["ALL_PROXY": "a.test", "http_proxy": "b.test/"],
                ["http_proxy http://b.test:80", "https_proxy http://a.test:80"]
            ),
            (["http_proxy": "SOCKS4A://A.Test:9"], ["http_proxy socks4a://a.test:9"]),
        ] as [([String: String], [String])])
    func `http_proxy, https_proxy and all_proxy set the upstream proxy for their URL scheme`(
        _ variables: [String: String], _ found: [String]
    ) throws {
        #expect(try proxies(variables) == found)
    }

    @Test(
        arguments: [
            ("u:p@h.test", "u", "p"), ("http://u@h.test", "u", nil), ("u:@h.test", "u", ""),
            ("u:a:b@h.test", "u", "a:b"), ("u:p@q@h.test", "u", "p@q"),
            ("%75:%70%2F@h.test", "u", "p/"),
            ("u:100%@h.test", "u", "100%"), ("u:%zz%4@h.test", "u", "%zz%4"),
            (":p@h.test", "", "p"),
            ("u:%C3%A9@h.test", "u", "é"),
        ] as [(String, String, String?)])
    func `a proxy environment variable may contain a user and a password before the host`(
        _ value: String, _ user: String, _ password: String?
    ) throws {
        let upstream = try #require(
            try EnvironmentUpstreams.read(["http_proxy": value]).first)
        #expect(upstream.url.text == "http://h.test:80")
        #expect(upstream.user == user && upstream.password?.text == password)
        if let password, password.count > 1 { #expect(!"\(upstream)".contains(password)) }
    }

    @Test(arguments: [
        "http://", "://h.test", "ftp://h.test", "http://h.test:0", "http://h.test:x", "http://h/x",
        "http://[::1", "h test", "u:p@", "http://h.test?x",
    ])
    func `an invalid proxy environment variable is reported by name, without its value`(
        _ value: String
    ) {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try proxies(["https_proxy": "secret:word@" + value])
        }
        #expect(error?.problems.map(\.location) == ["https_proxy"])
        #expect(error?.description.contains("word") == false)
    }

    @Test(arguments: [
        ("a.test", "a.test", true), ("a.test", "x.a.test", true), ("a.test", "xa.test", false),
        (".a.test", "a.test", true), (".a.test", "x.a.test", true), ("A.Test", "a.test", true),
        ("*", "anything", true), ("*.a.test", "a.test", false), ("*.a.test", "x.a.test", true),
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.1", "10.0.0.1", true), ("::1", "::1", true),
        ("a.test:8080", "a.test", false), ("a.test:443", "x.a.test", true),
        ("b.test,a.test", "a.test", true), ("b.test a.test", "a.test", true),
        (" ,, a.test\t", "a.test", true), ("a b!,a.test", "a.test", true), ("", "a.test", false),
        ("http://a.test", "a.test", false),
    ])
    func `requests to hosts in no_proxy do not use the upstream proxy`(
        _ exceptions: String, _ host: String, _ isException: Bool
    ) throws {
        let upstream = try #require(
            try EnvironmentUpstreams.read(["all_proxy": "p.test", "no_proxy": exceptions]).last)
        #expect(upstream.takes(host: host, port: 443, isPlain: false) == !isException)
    }

    @Test(
        arguments: [
            ("http://a.test", "http://a.test:80"), ("https://a.test/", "https://a.test:443"),
            ("SOCKS5://A.TEST", "socks5://a.test:1080"),
            ("socks4a://1.2.3.4:9", "socks4a://1.2.3.4:9"),
            ("http://[2001:db8::1]", "http://[2001:db8::1]:80"),
            ("http://[2001:db8::1]:81", "http://[2001:db8::1]:81"), ("http://a.test//", nil),
            ("http://u@a.test", nil), ("http://a.test/x", nil), ("socks4://a.test", nil),
            ("socks5h://a.test", nil), ("a.test", nil), ("http://", nil), ("http://a b", nil),
            ("http://[1.2.3.4]", nil), ("http://::1", nil), ("http://a.test:", nil),
            ("http://.a.test", nil), ("http://\(String(repeating: "a", count: 254))", nil),
        ] as [(String, String?)])
    func `an upstream proxy URL is rejected if it contains more than scheme, host and port`(
        _ text: String, _ wanted: String?
    ) {
        #expect(UpstreamURL(text)?.text == wanted)
    }
}
