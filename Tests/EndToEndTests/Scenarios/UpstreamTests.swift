import Foundation
import ProxydTestSupport
import Testing

/// Servers that are reached through another proxy.
struct UpstreamTests {
    /// `localhost` may be resolved at the daemon; names that do not exist cannot.
    private static let name = "server.invalid"

    @Test func `an upstream proxy gets HTTP requests in absolute-form, and CONNECT for HTTPS`()
        throws
    {
        let certificate = try TestCertificate()
        let upstream = try UpstreamServer()
        let (plain, secured) = (try Origin(), try Origin(tls: certificate))
        let proxy = try Daemon(
            through: "http://127.0.0.1:\(upstream.port)", trusting: certificate)
        #expect(try proxy.curl("-w", "%{http_code}", plain.url("/a")).text.hasSuffix("200"))
        #expect(try upstream.request() == "GET \(plain.url("/a")) - 1 -")
        #expect(try proxy.curl("-w", "%{http_code}", secured.url("/b")).text.hasSuffix("200"))
        #expect(try upstream.request() == "CONNECT localhost:\(secured.port) - 1 -")
        let rows = try proxy.rows(count: 2)
        #expect(rows.map { $0.int("status") } == [200, 200])
        let timeline = try proxy.show(rows[1]).row("timeline")
        #expect((timeline?.double("connect_ms") ?? 0) > 0)
        #expect((timeline?.double("tls_ms") ?? 0) > 0)
    }

    @Test func `host names are resolved by the upstream proxy and not by proxyd`() throws {
        let upstream = try UpstreamServer("--names", "127.0.0.1")
        let origin = try Origin()
        for scheme in ["http", "socks5", "socks4a"] {
            let proxy = try Daemon(through: "\(scheme)://127.0.0.1:\(upstream.port)")
            let url = "http://\(Self.name):\(origin.port)/"
            #expect(try proxy.curl("-w", "%{http_code}", url).text.hasSuffix("200"))
            #expect(try upstream.request().contains("\(Self.name):\(origin.port)"))
        }
    }

    @Test(arguments: ["basic", "sha-256", "md5"])
    func `proxyd authenticates to an upstream proxy, and the server does not get the credentials`(
        kind: String
    ) throws {
        let certificate = try TestCertificate()
        let upstream = try UpstreamServer("--auth", kind)
        let (plain, secured) = (try Origin(), try Origin(tls: certificate))
        let proxy = try Daemon(
            through: "http://127.0.0.1:\(upstream.port)", trusting: certificate,
            "user = \"me\"\npassword_file = \"SECRET\"")
        for url in [plain.url("/a"), secured.url("/b"), plain.url("/c"), secured.url("/d")] {
            let outcome = try proxy.curl(
                "-w", "%{http_code}", "--proxy-header", "Proxy-Authorization: Basic eDp5", url)
            #expect(outcome.text.hasSuffix("200"), "\(url) \(outcome.text) \(outcome.errors)")
            #expect(!outcome.text.lowercased().contains("proxy-auth"))
        }
        let first = try upstream.request()
        #expect(first == "GET \(plain.url("/a")) Basic 1 -")
        if kind != "basic" {
            #expect(try upstream.request() == "GET \(plain.url("/a")) Digest 1 -")
            #expect(try upstream.request().hasPrefix("CONNECT localhost:\(secured.port) Digest"))
        }
        let rows = try proxy.rows(count: 4)
        for row in rows {
            let shown = try proxy.proxyctl(["show", String(row.int("id") ?? 0), "--json"]).text
            #expect(!shown.contains("Digest ") && !shown.contains("bWU6c2VjcmV0"), "\(shown)")
        }
    }

    @Test(arguments: ["socks5", "http"])
    func `a wrong password for an upstream proxy causes a 502 that names the proxy`(scheme: String)
        throws
    {
        let upstream = try UpstreamServer("--auth", "basic")
        let origin = try Origin()
        let proxy = try Daemon(
            through: "\(scheme)://127.0.0.1:\(upstream.port)",
            "user = \"you\"\npassword_file = \"SECRET\"")
        let outcome = try proxy.curl("-i", origin.url("/a"))
        #expect(outcome.text.hasPrefix("HTTP/1.1 502 "), "\(outcome.text)")
        #expect(outcome.text.contains("upstream proxy \"corp\""))
        #expect(outcome.text.contains("does not accept"))
        #expect(!outcome.text.lowercased().contains("proxy-authenticate"))
        let row = try proxy.row()
        #expect(row.text("error")?.hasPrefix("proxy connectFailed: ") == true)
    }

    @Test
    func `a tunnel refused by an upstream proxy causes a 502 and an error that names the proxy`()
        throws
    {
        let certificate = try TestCertificate()
        let upstream = try UpstreamServer("--refuse", "403")
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(
            through: "http://127.0.0.1:\(upstream.port)", trusting: certificate)
        let outcome = try proxy.curl("-i", origin.url("/a"))
        #expect(outcome.text.contains("\r\n\r\nHTTP/1.1 502 "), "\(outcome.text)")
        let error = try proxy.row().text("error") ?? ""
        #expect(error.contains("\"corp\" refused a tunnel to localhost:\(origin.port) (403)"))
    }

    @Test func `a rule can select another upstream proxy or a direct connection`() throws {
        let (upstream, other) = (try UpstreamServer(), try UpstreamServer())
        let origin = try Origin()
        let proxy = try Daemon(
            through: "http://127.0.0.1:\(upstream.port)",
            """

            [[upstream]]
            name = "other"
            url = "socks5://127.0.0.1:\(other.port)"
            hosts = []
            """,
            rules: """
                [[rule]]
                name = "other"
                when = 'host=127.0.0.1 client:127'
                connect = [{ via = "other" }]
                [[rule]]
                name = "direct"
                when = 'host=localhost'
                connect = [{ via = "direct" }]
                """)
        try proxy.curl(origin.url("/a"))
        #expect(try other.request() == "SOCKS5 127.0.0.1:\(origin.port) - - -")
        let direct = try proxy.curl(
            "-w", "%{http_code}", "http://localhost:\(origin.port)/b")
        #expect(direct.text.hasSuffix("200"))
        let rows = try proxy.rows(count: 2)
        #expect(try proxy.show(rows[0]).object["applied_rules"] != nil)
        // Neither has been asked for anything else.
        try proxy.curl("http://127.0.0.1:\(origin.port)/c")
        #expect(
            try proxy.rows("path=/b", count: 1).first?.text("server_address")?
                .hasSuffix(":\(origin.port)") == true)
    }

    @Test func `the TLS certificate of an upstream proxy is verified`() throws {
        let certificate = try TestCertificate()
        let upstream = try UpstreamServer(
            "--tls", certificate.certificatePath, certificate.keyPath)
        let (plain, secured) = (try Origin(), try Origin(tls: certificate))
        let url = "https://localhost:\(upstream.port)"
        let proxy = try Daemon(through: url, trusting: certificate)
        for url in [plain.url("/a"), secured.url("/b")] {
            let outcome = try proxy.curl("-w", "%{http_code}", url)
            #expect(outcome.text.hasSuffix("200"), "\(outcome.text)\(outcome.errors)")
        }
        let stranger = try Daemon(through: url)
        let refused = try stranger.curl("-i", plain.url("/a"))
        #expect(refused.text.hasPrefix("HTTP/1.1 502 "))
        #expect(refused.text.contains("\"corp\": the certificate of localhost:"))
    }

    @Test(arguments: [1, 2])
    func `an upstream proxy gets a PROXY header with the client's address before any request`(
        version: Int
    )
        throws
    {
        let certificate = try TestCertificate()
        let upstream = try UpstreamServer("--header")
        let (plain, secured) = (try Origin(), try Origin(tls: certificate))
        let proxy = try Daemon(
            through: "http://127.0.0.1:\(upstream.port)", trusting: certificate,
            "send_proxy_protocol = \(version)")
        let start = version == 1 ? "PROXY,TCP4,127.0.0.1,127.0.0.1," : "v2,21,11,127.0.0.1"
        for url in [plain.url("/a"), secured.url("/b")] {
            let outcome = try proxy.curl("-w", "%{http_code}", url)
            #expect(outcome.text.hasSuffix("200"), "\(outcome.text)\(outcome.errors)")
            let request = try upstream.request()
            #expect(request.split(separator: " ").last?.hasPrefix(start) == true, "\(request)")
        }
    }

    @Test func `proxyd connects directly to targets that are exempt from an upstream proxy`()
        throws
    {
        let upstream = try UpstreamServer("--refuse", "403")
        let origin = try Origin()
        let proxy = try Daemon(
            through: "http://127.0.0.1:\(upstream.port)", "except = [\"127.0.0.0/8\"]")
        #expect(try proxy.curl("-w", "%{http_code}", origin.url("/a")).text.hasSuffix("200"))
    }

    @Test func `upstream proxies from the environment are used only if that is configured`() throws
    {
        let upstream = try UpstreamServer("--auth", "basic")
        let origin = try Origin()
        let launcher = [
            "/usr/bin/env", "http_proxy=http://me:se%63ret@127.0.0.1:\(upstream.port)",
            "no_proxy=localhost",
        ]
        let setting = "[forwarding]\nupstream_from_environment = true\n"
        let proxy = try Daemon(configuration: setting, launcher: launcher)
        let other = try Daemon(launcher: launcher)
        for (daemon, url) in [
            (proxy, origin.url("/a")), (proxy, "http://localhost:\(origin.port)/b"),
            (other, origin.url("/c")),
        ] {
            #expect(try daemon.curl("-w", "%{http_code}", url).text.hasSuffix("200"), "\(url)")
        }
        #expect(try upstream.request() == "GET \(origin.url("/a")) Basic 1 -")
        let names = try proxy.rows(count: 2).map { try proxy.show($0).text("upstream") }
        #expect(names == ["http_proxy", nil])
        #expect(try other.show(try other.row()).text("upstream") == nil)
    }

    @Test
    func `a request whose Host differs from its target uses CONNECT through an upstream proxy`()
        throws
    {
        let upstream = try UpstreamServer()
        let origin = try Origin()
        let proxy = try Daemon(
            through: "http://127.0.0.1:\(upstream.port)",
            """

            [[listener]]
            address = "127.0.0.1:0"
            mode = "reverse"
            to = "\(origin.url(""))"
            host = "keep"
            """)
        let outcome = try proxy.plainCurl([
            "-H", "Host: front.test", "http://127.0.0.1:\(try proxy.nextPort())/echo",
        ])
        #expect(outcome.text.contains("[\"Host\", \"front.test\"]"), "\(outcome)")
        #expect(try upstream.request() == "CONNECT 127.0.0.1:\(origin.port) - 1 -")
    }

    @Test func `requests to denied addresses get a 403 even if there is an upstream proxy`() throws
    {
        let upstream = try UpstreamServer()
        let proxy = try Daemon(through: "http://127.0.0.1:\(upstream.port)")
        for host in ["169.254.169.254", "[fe80::1]", "0xa9fea9fe"] {
            let outcome = try proxy.curl("-i", "http://\(host)/")
            #expect(outcome.text.hasPrefix("HTTP/1.1 403 "), "\(outcome.text)")
        }
    }

    // MARK: Chains

    @Test func `requests and tunnels go through a chain of two proxyd instances`() throws {
        let certificate = try TestCertificate()
        let (plain, secured) = (try Origin(), try Origin(tls: certificate))
        let far = try Daemon(
            trusting: certificate, configuration: "[tls]\npass_through = [\"*\"]\n")
        let near = try Daemon(through: far.url, trusting: certificate)
        for url in [plain.url("/a"), secured.url("/b")] {
            let outcome = try near.curl("-w", "%{http_code}", url)
            #expect(outcome.text.hasSuffix("200"), "\(outcome.text)\(outcome.errors)")
        }
        #expect(try near.rows(count: 2).map { $0.int("status") } == [200, 200])
        #expect(try far.rows(count: 2, final: false).count == 2)
    }

    @Test func `a request gets a 508 if two proxyd instances are each other's upstream proxy`()
        throws
    {
        let first = try Daemon(configuration: "")
        let second = try Daemon(through: first.url)
        try first.reload(
            "[[upstream]]\nname = \"back\"\nurl = \"\(second.url)\"\n",
            until: "configuration reloaded")
        let origin = try Origin()
        for scheme in ["http", "https"] {
            let outcome = try first.curl("-i", "\(scheme)://server.invalid:\(origin.port)/")
            #expect(outcome.text.hasPrefix("HTTP/1.1 508 "), "\(outcome.text)")
        }
        // Every second hop of eight is in each store.
        let rows = try first.rows(count: 8)
        #expect(rows.count <= 10)
        #expect(rows.contains { $0.text("error")?.contains("they form a loop") == true })
    }

    @Test func `a request gets a 508 if proxyd is its own upstream proxy`() throws {
        let origin = try Origin()
        let proxy = try Daemon(configuration: "")
        try proxy.reload(
            "[[upstream]]\nname = \"self\"\nurl = \"\(proxy.url)\"\n",
            until: "configuration reloaded")
        let outcome = try proxy.curl("-i", origin.url("/a"))
        #expect(outcome.text.hasPrefix("HTTP/1.1 508 "), "\(outcome.text)")
        #expect(outcome.text.contains("\"self\""))
    }
}

/// The scripted proxy that a daemon goes through; see Servers/upstream.py.
final class UpstreamServer {
    let port: Int
    private let service: Service

    init(_ options: String...) throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/upstream.py").path
        service = try Service(python, [script] + options)
        guard let port = Int(try service.readLine()) else {
            throw Tool.Failure(description: "the upstream proxy printed no port")
        }
        self.port = port
    }

    /// The next request: what it asks for, scheme of credentials, hop count, PROXY header.
    func request() throws -> String { try service.readLine() }
}

extension Daemon {
    /// A daemon that goes through a proxy; `more` is further text of its table.
    convenience init(
        through url: String, trusting certificate: TestCertificate? = nil, _ more: String = "",
        rules: String? = nil
    ) throws {
        let data = try ScratchFolder()
        let secret = data.path + "/secret"
        try "secret\n".write(toFile: secret, atomically: true, encoding: .utf8)
        chmod(secret, 0o600)
        if let rules {
            try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        }
        try self.init(
            trusting: certificate,
            configuration: """
                [[upstream]]
                name = "corp"
                url = "\(url)"
                \(more.replacing("SECRET", with: secret))
                """, data: data)
    }
}
