import Foundation
import ProxydConfigurationText
import ProxydTestSupport
import Testing

@testable import ProxydDaemonConfiguration

/// The tables `[[upstream]]` and `[[client_certificate]]`, and the proxies of the environment.
struct RouteTableTests {
    private let folder: ScratchFolder
    private let secret: String

    init() throws {
        folder = try ScratchFolder()
        secret = try folder.write("secret", Array("open sesame\r\nsecond\n".utf8))
        chmod(secret, 0o600)
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try ConfigurationReader.read(text, file: "f")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test
    func `an upstream proxy's password is read from its file and never shown in messages`()
        throws
    {
        let configuration = try ConfigurationReader.read(
            """
            [[upstream]]
            name = "corp"
            url = "HTTPS://Proxy.Corp/"
            user = "me"
            password_file = "\(secret)"
            hosts = ["*.example.com", "other.test:8443"]
            except = ["internal.example.com", ".dev.example.com", "10.0.0.0/8"]
            send_proxy_protocol = 2
            """, file: "f")
        let upstream = try #require(configuration.upstreams.first)
        #expect(upstream.url.text == "https://proxy.corp:443")
        #expect(upstream.password?.text == "open sesame")
        #expect(upstream.headerVersion == 2)
        let takes = { upstream.takes(host: $0, port: $1, isPlain: false) }
        #expect(takes("a.example.com", 443) && takes("other.test", 8443))
        #expect(!takes("other.test", 443) && !takes("example.com", 443))
        #expect(!takes("internal.example.com", 443) && !takes("x.internal.example.com", 443))
        #expect(!takes("x.dev.example.com", 80) && !takes("dev.example.com", 80))
        #expect(!"\(upstream.tomlText) \(upstream)".contains("sesame"))
    }

    @Test
    func `mistakes in upstream and client certificate tables are all reported with their lines`()
        throws
    {
        chmod(secret, 0o640)
        let problems = problems(
            """
            [[upstream]]
            name = "a b"
            url = "ftp://x"
            user = "me"
            [[upstream]]
            url = "http://me:pass@x:1"
            password_file = "\(secret)"
            send_proxy_protocol = 3
            hots = []
            [[upstream]]
            name = "direct"
            url = "socks4a://x"
            password_file = "relative"
            [[client_certificate]]
            name = "c"
            certificate = "/nowhere"
            """)
        let text = problems.joined(separator: "\n")
        for expected in [
            "f:2: name: expected", "f:3: url: expected http://HOST:PORT",
            "f:4: user also needs password_file", "f:5: an upstream proxy needs a name",
            "f:6: url: expected", "f:7: password_file: \(secret) is accessible to other users",
            "f:7: password_file also needs user", "f:8: send_proxy_protocol: expected 1 or 2",
            "f:9: unknown key hots; did you mean hosts?", "f:11: name: \"direct\" means",
            "f:13: password_file: expected an absolute path", "f:13: SOCKS 4 has no passwords",
            "f:14: a client certificate is certificate and key, or pkcs12",
        ] {
            #expect(text.contains(expected), "\(expected)\n\(text)")
        }
    }

    @Test func `two upstream proxies with the same name are reported as a mistake`() throws {
        let table = "[[upstream]]\nname = \"x\"\nurl = \"http://x\"\n"
        #expect(problems(table + table) == ["f:5: there is an upstream named \"x\" already"])
    }

    @Test func `a changed password of an upstream proxy is reported without showing the password`()
        throws
    {
        let text = """
            [[upstream]]
            name = "corp"
            url = "http://x"
            user = "me"
            password_file = "\(secret)"
            """
        let old = try ConfigurationReader.read(text, file: "f")
        try folder.write("secret", Array("another".utf8))
        chmod(secret, 0o600)
        let new = try ConfigurationReader.read(text, file: "f")
        let changes = ConfigurationChange.between(old, new)
        #expect(changes.map(\.path) == ["upstream"])
        #expect(changes.allSatisfy { $0.effect == .onReload })
        #expect(!changes.contains { ($0.old + $0.new).contains("another") })
    }

    @Test func `the environment can set different upstream proxies for http and https requests`()
        throws
    {
        let upstreams = try EnvironmentUpstreams.read([
            "http_proxy": "http://me:p%40ss@a.test:3128/", "HTTPS_PROXY": "b.test",
            "no_proxy": "localhost, .internal,10.0.0.0/8", "HTTP_PROXY": "http://evil.test",
        ])
        #expect(upstreams.map(\.url.text) == ["http://a.test:3128", "http://b.test:80"])
        #expect(upstreams[0].user == "me" && upstreams[0].password?.text == "p@ss")
        #expect(upstreams[0].takes(host: "x.test", port: 80, isPlain: true))
        #expect(!upstreams[0].takes(host: "x.test", port: 443, isPlain: false))
        #expect(upstreams[1].takes(host: "x.test", port: 443, isPlain: false))
        #expect(!upstreams[1].takes(host: "a.internal", port: 443, isPlain: false))
        let error = #expect(throws: ConfigurationError.self) {
            _ = try EnvironmentUpstreams.read(["all_proxy": "gopher://me:hidden@x"])
        }
        #expect(error?.problems.count == 2)
        #expect(error?.description.contains("hidden") == false)
    }
}
