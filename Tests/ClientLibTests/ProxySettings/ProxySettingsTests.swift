import ClientLib
import ProxydClientTestSupport
import ProxydHTTPModel
import Testing

@testable import ProxydTLS

struct ProxySettingsTests {
    private func proxy(_ environment: [String: String], _ url: String = "http://h/") throws
        -> String?
    {
        try ProxySettings(environment: environment).proxy(for: CookieTestURL.make(url))?.description
    }

    @Test(arguments: [
        ("proxy", "http://proxy:80"), ("proxy:3128", "http://proxy:3128"),
        ("http://proxy:3128/", "http://proxy:3128"), ("HTTP://Proxy", "http://Proxy:80"),
        ("socks5://p", "socks5://p:1080"), ("socks5h://p:9", "socks5h://p:9"),
        ("socks://p", "socks5://p:1080"), ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://u:p@h:1", "http://***@h:1"), ("127.0.0.1:1", "http://127.0.0.1:1"),
    ])
    func `a proxy is parsed from a URL or from a host and port`(text: String, shown: String) throws
    {
        #expect(try ProxyServer(text).description == shown)
    }

    @Test(arguments: [
        ("u:p", "u", "p"), ("u", "u", ""), ("u:p:q@r", "u", "p:q@r"),
        ("%75%3A%40:%2f%zz%", "u:@", "/%zz%"), (":p", "", "p"), ("%C3%A9:p", "é", "p"),
    ])
    func `the user name and password in a proxy URL are percent-decoded`(
        text: String, user: String, password: String
    ) throws {
        let proxy = try ProxyServer("socks5://\(text)@h")
        #expect(proxy.credential == .password(user: user, password: password))
        #expect(proxy.host == "h")
    }

    @Test(arguments: [
        ("https://h", ProxySettingsError.unsupportedScheme), ("socks4://h", .unsupportedScheme),
        ("", .badHost), ("http://", .badHost), (":80", .badHost), ("http://a b", .badHost),
        ("h:", nil), ("h:0", .badPort), ("h:65536", .badPort), ("h:x", .badPort),
        ("h:+1", .badPort), ("http://h/path", .unexpectedPath), ("h?x", .unexpectedPath),
        ("[::1", .badHost), ("[x]:1", .badHost), ("[::1]x", .badHost), ("::1", .badHost),
        ("h\r\n:1", .badHost),
    ])
    func `an invalid or unsupported proxy URL is rejected, but an empty port is accepted`(
        text: String, error: ProxySettingsError?
    ) {
        if let error {
            #expect(throws: error) { try ProxyServer(text) }
        } else {
            #expect(throws: Never.self) { try ProxyServer(text) }
        }
    }

    @Test func `http_proxy and https_proxy apply to their scheme, all_proxy to every scheme`()
        throws
    {
        let environment = ["http_proxy": "a:1", "https_proxy": "b:2", "ALL_PROXY": "c:3"]
        #expect(try proxy(environment) == "http://a:1")
        #expect(try proxy(environment, "https://h/") == "http://b:2")
        #expect(try proxy(["all_proxy": "socks5h://c:3"]) == "socks5h://c:3")
        #expect(try proxy(["HTTPS_PROXY": "b:2"], "https://h/") == "http://b:2")
        #expect(try proxy([:]) == nil)
        #expect(try proxy(["http_proxy": "", "all_proxy": "c:3"]) == "http://c:3")
    }

    @Test func `http_proxy takes precedence over HTTP_PROXY`() throws {
        #expect(try proxy(["http_proxy": "a:1", "HTTP_PROXY": "b:2"]) == "http://a:1")
    }

    @Test func `HTTP_PROXY is ignored in a CGI environment`() throws {
        let environment = ["HTTP_PROXY": "evil:1", "REQUEST_METHOD": "GET"]
        #expect(try proxy(environment) == nil)
        #expect(try proxy(environment.merging(["http_proxy": "a:1"]) { $1 }) == "http://a:1")
        #expect(try proxy(["HTTP_PROXY": "a:1"]) == "http://a:1")
    }

    @Test func `an invalid http_proxy variable is an error`() {
        #expect(throws: ProxySettingsError.badPort) {
            try proxy(["http_proxy": "http://u:secret@h:x"])
        }
    }

    @Test func `hosts in no_proxy are reached without a proxy`() throws {
        let environment = ["http_proxy": "a:1", "no_proxy": "example.com, 10.0.0.0/8"]
        #expect(try proxy(environment, "http://www.example.com/") == nil)
        #expect(try proxy(environment, "http://10.1.2.3/") == nil)
        #expect(try proxy(environment, "http://example.org/") == "http://a:1")
    }

    @Test
    func `proxy settings for proxyd use its local port and the CA file in its data directory`() {
        let url = CookieTestURL.make("https://h/")
        let settings = ProxySettings.proxyd(port: 8080, environment: ["HOME": "/home/u"])
        #expect(settings.proxy(for: url)?.description == "http://127.0.0.1:8080")
        #expect(settings.authorityPath == "/home/u/.local/share/proxyd/ca/ca.pem")
        let other = ProxySettings.proxyd(
            port: 1, environment: ["XDG_DATA_HOME": "/x", "HOME": "/home/u"])
        #expect(other.authorityPath == "/x/proxyd/ca/ca.pem")
        let own = ProxySettings.proxyd(port: 1, environment: ["PROXYD_DATA_DIR": "/d"])
        #expect(own.authorityPath == "/d/ca/ca.pem")
        #expect(
            ProxySettings.proxyd(port: 1, dataDirectory: "/e", environment: [:]).authorityPath
                == "/e/ca/ca.pem")
        #expect(ProxySettings.direct.proxy(for: url) == nil)
    }
}

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

struct ProxydSettingsTests {
    @Test func `a session with the proxy settings for proxyd uses the proxy and trusts its CA`()
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
