import Foundation
import Testing

/// Servers that the configuration forbids.
struct DeniedTargetTests {
    private func status(_ proxy: Daemon, _ request: String) throws -> String {
        let client = try RawClient(port: proxy.port)
        client.send(request + "\r\nConnection: close\r\n\r\n")
        return String((client.readToEnd() ?? "").dropFirst(9).prefix(3))
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "[::ffff:127.0.0.1]",
    ])
    func `a request to a denied target address gets a 403, whatever the notation of the address`(
        host: String
    ) throws {
        let origin = try Origin()
        let proxy = try Daemon(
            configuration: """
                [forwarding]
                denied_target_networks = ["127.0.0.0/8", "::1"]
                """)
        let authority = "\(host):\(origin.port)"
        #expect(try status(proxy, "GET http://\(authority)/ HTTP/1.1\r\nHost: x") == "403")
        #expect(try status(proxy, "CONNECT \(authority) HTTP/1.1\r\nHost: x") == "403")
        let rows = try proxy.rows(count: 2)
        #expect(rows.allSatisfy { $0.text("error")?.contains("is not allowed: ") == true })
    }

    @Test func `by default, requests to link-local addresses such as cloud metadata get a 403`()
        throws
    {
        let proxy = try Daemon()
        let target = "http://169.254.169.254/latest/meta-data/"
        #expect(try status(proxy, "GET \(target) HTTP/1.1\r\nHost: x") == "403")
        #expect(try status(proxy, "GET http://[fe80::1]/ HTTP/1.1\r\nHost: x") == "403")
    }

    @Test func `denied target networks changed by a reload apply to new requests`() throws {
        let origin = try Origin()
        let proxy = try Daemon(configuration: "")
        #expect(try status(proxy, "GET \(origin.url("/")) HTTP/1.1\r\nHost: x") == "200")
        try proxy.reload(
            "[forwarding]\ndenied_target_networks = [\"127.0.0.1\"]\n",
            until: "configuration reloaded")
        let other = try Origin()
        #expect(try status(proxy, "GET \(other.url("/")) HTTP/1.1\r\nHost: x") == "403")
    }
}

/// The proxy does not connect to itself, however it is called.
struct LoopTests {
    /// Spellings that the system resolves to the address we listen on.
    private static let own = [
        "127.0.0.1", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7F.1", "0x7f000001",
        "2130706433", "017700000001", "127.0.0x1", "127.0.0.01", "0.0.0.0", "0", "0x0", "0.0",
        "00.0.0.0", "localhost", "LOCALHOST", "LocalHost", "[::ffff:127.0.0.1]",
        "[::FFFF:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
        "[0000:0000:0000:0000:0000:ffff:7f00:0001]", "[::ffff:0.0.0.0]", "[::ffff:0:0]",
        "localhost.", "127.0.0.1.", "app.localhost", "App.Localhost.",
    ]
    /// Spellings that other systems take for it; here they may lead nowhere, but never back.
    private static let others = [
        "[::]", "[0:0:0:0:0:0:0:0]", "[::1]", "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]", "127.0.0.2", "127.255.255.254", "127.000.000.001",
        "%31%32%37.0.0.1", "ip6-localhost", "localhost.localdomain", "256.0.0.1", "1e0.0.0.1",
        "127.0.0.1%00",
    ]

    @Test
    func `the proxy never forwards a request to itself, whatever the notation of its address`()
        throws
    {
        let proxy = try Daemon(configuration: "[forwarding]\nerrors_inside_tls = false\n")
        for host in Self.own + Self.others {
            // Where our own page answers, a request has come back.
            let allowed = Self.own.contains(host) ? ["508"] : ["400", "502", "504", "508"]
            for answer in try answers(of: proxy, for: host) {
                let status = String(answer.dropFirst(9).prefix(3))
                #expect(allowed.contains(status), "\(host) \(answer)")
            }
        }
        let requests = 2 * (Self.own.count + Self.others.count)
        #expect(try proxy.rows(count: requests).count == requests)
    }

    @Test(.enabled(if: !interfaces.isEmpty, "no interface but the loopback has an address"))
    func `a listener on all addresses rejects requests to itself at any address of the machine`()
        throws
    {
        let proxy = try Daemon(
            configuration: "[listen]\nallowed_client_networks = [\"127.0.0.1\"]\n"
                + "[forwarding]\nerrors_inside_tls = false\n",
            listen: "0.0.0.0")
        for host in Self.interfaces + ["127.0.0.1", "127.9.9.9", "localhost", "0.0.0.0"] {
            for answer in try answers(of: proxy, for: host) {
                #expect(answer.hasPrefix("HTTP/1.1 508 "), "\(host) \(answer)")
            }
        }
        // No one's address: the kernel says so immediately, after the proxy has asked it.
        for answer in try answers(of: proxy, for: "255.255.255.255") {
            #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
        }
    }

    /// The addresses of this machine's interfaces, those of the loopback and of links left out.
    private static let interfaces: [String] = {
        let text = (try? Tool.run("hostname", ["-I"]))?.text ?? ""
        return text.split(whereSeparator: \.isWhitespace).map { address in
            address.contains(":") ? "[\(address)]" : String(address)
        }
    }()

    /// What a proxy answers when it is asked for its own port of a host, and for a tunnel there.
    private func answers(of proxy: Daemon, for host: String) throws -> [String] {
        let authority = "\(host):\(proxy.port)"
        return try [
            "GET http://\(authority)/loop HTTP/1.1\r\nHost: elsewhere\r\n",
            "CONNECT \(authority) HTTP/1.1\r\nHost: elsewhere\r\n",
        ].map { request in
            let client = try RawClient(port: proxy.port)
            client.send(request + "Connection: close\r\n\r\n")
            return client.readToEnd() ?? ""
        }
    }
}

/// Names that mean the machine itself (RFC 6761 §6.3), and names that end with a dot.
struct LoopbackNameTests {
    @Test(arguments: ["localhost", "localhost.", "app.localhost", "A.B.LOCALHOST."])
    func `a name under localhost reaches loopback, and Host is forwarded as the client wrote it`(
        name: String
    ) throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send(
            "GET http://\(name):\(origin.port)/x HTTP/1.1\r\nHost: \(name):\(origin.port)\r\n"
                + "Connection: close\r\n\r\n")
        let answer = try #require(client.readToEnd())
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(answer.contains("\"\(name):\(origin.port)\""), "\(answer)")
        #expect(try proxy.row().text("host") == name)
    }

    @Test
    func `a host name's trailing dot is ignored in SNI and in certificate verification`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try proxy.curl("https://localhost.:\(origin.port)/x")
        #expect(outcome.status == 0, "\(outcome.errors)")
        _ = try proxy.row()
        let asked = try proxy.proxyctl([
            "sql", "--json",
            """
            SELECT c.sni AS name FROM exchange e
            JOIN connection c ON c.id = e.server_connection_id
            """,
        ])
        #expect(try Row(json: asked.text).text("name") == "localhost")
    }

    @Test(arguments: ["localhost", "localhost."])
    func `TLS settings for a host apply to its name with and without a trailing dot`(name: String)
        throws
    {
        // A certificate that no one trusts: only the exception lets it pass.
        let origin = try Origin(tls: try TestCertificate())
        let proxy = try Daemon(configuration: "[tls]\nunverified_hosts = [\"\(name)\"]\n")
        for asked in ["localhost", "localhost."] {
            let outcome = try proxy.curl("-w", "%{http_code}", "https://\(asked):\(origin.port)/x")
            #expect(outcome.text.hasSuffix("200"), "\(asked) \(outcome.errors)")
        }
        let relaying = try Daemon(configuration: "[tls]\npass_through = [\"\(name)\"]\n")
        for asked in ["localhost", "localhost."] {
            try relaying.curl("-k", "https://\(asked):\(origin.port)/x")
        }
        #expect(try relaying.rows(count: 2).map { $0.text("state") } == ["tunnel", "tunnel"])
    }
}
