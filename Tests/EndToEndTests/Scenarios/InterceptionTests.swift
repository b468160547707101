import Foundation
import ProxydTestSupport
import Testing

/// TLS read on the way, with the upstream verified.
struct InterceptionTests {
    @Test func `an intercepted POST is recorded with its decoded parameters and TLS details`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try proxy.curl("-d", "user=alice&token=x%2By", origin.url("/login"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let row = try proxy.row("host:localhost method=POST")
        #expect(row.text("scheme") == "https")
        #expect(row.text("url") == origin.url("/login"))
        #expect(row.text("tls_version") == "TLSv1.3")
        let shown = try proxy.show(row)
        #expect(shown.row("request")?.pairs("form") == [["user", "alice"], ["token", "x+y"]])
        #expect((shown.row("timeline")?.double("tls_ms") ?? -1) > 0)
    }

    @Test
    func `consecutive intercepted requests share one CONNECT tunnel and one server connection`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        try proxy.curl(origin.url("/1"), origin.url("/2"))
        let rows = try proxy.rows(count: 2)
        #expect(rows.map { $0.text("path") } == ["/1", "/2"])
        #expect(try proxy.show(rows[1]).row("timeline")?.int("connection_reused") == 1)
    }

    @Test(arguments: ["1.2", "1.3"])
    func `TLS interception works for clients that use TLS 1.2 and for those that use TLS 1.3`(
        version: String
    ) throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try proxy.curl(
            "--tlsv\(version)", "--tls-max", version, origin.url("/version"))
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `a client that connects to an IP address gets a certificate for that address`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try proxy.curl("https://127.0.0.1:\(origin.port)/ip")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try proxy.row().text("host") == "127.0.0.1")
    }

    @Test func `an untrusted upstream certificate causes a 502 that gives the reason`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon()
        let outcome = try proxy.curl("-i", origin.url("/secret"))
        #expect(outcome.text.hasPrefix("HTTP/1.1 200 Connection established"))
        #expect(outcome.text.contains("\r\nHTTP/2 502") || outcome.text.contains("HTTP/1.1 502"))
        #expect(outcome.text.lowercased().contains("self-signed"), "\(outcome.text)")
        let row = try proxy.row()
        #expect(row.int("status") == 502)
        #expect(row.text("state") == "failed")
        #expect(row.text("error")?.contains("self-signed") == true)
    }

    @Test(arguments: [
        ("https://127.0.0.1:1/x", "Connection refused"),
        ("https://no-such-host.invalid/x", "the host name does not exist"),
    ])
    func `a client of an https server that cannot be reached gets the reason inside TLS`(
        url: String, reason: String
    ) throws {
        let proxy = try Daemon()
        let outcome = try proxy.curl("-i", url)
        #expect(outcome.text.hasPrefix("HTTP/1.1 200 Connection established"))
        #expect(outcome.text.contains("HTTP/1.1 502 Bad Gateway"), "\(outcome.text)")
        #expect(outcome.text.contains(reason), "\(outcome.text)")
        let row = try proxy.row()
        #expect(row.text("method") == "CONNECT" && row.int("status") == 502)
        #expect(row.text("state") == "failed")
        #expect(row.text("error")?.contains(reason) == true)
    }

    @Test(arguments: [
        "[forwarding]\nerrors_inside_tls = false\n", "[tls]\npass_through = [\"127.0.0.1\"]\n",
    ])
    func `CONNECT to a server that cannot be reached gets 502 if nothing is told inside TLS`(
        configuration: String
    ) throws {
        let proxy = try Daemon(configuration: configuration)
        let outcome = try proxy.curl("-i", "https://127.0.0.1:1/x")
        #expect(outcome.status != 0)
        #expect(outcome.text.hasPrefix("HTTP/1.1 502 Bad Gateway"), "\(outcome.text)")
        #expect(try proxy.row().int("status") == 502)
    }

    @Test
    func `an upstream certificate for another host causes a 502 unless verification is off`()
        throws
    {
        let certificate = try TestCertificate(names: "DNS:other.example")
        let origin = try Origin(tls: certificate)
        let strict = try Daemon(trusting: certificate)
        let refused = try strict.curl("-s", origin.url("/"))
        #expect(refused.text.contains("other.example"), "\(refused.text)")
        let lenient = try Daemon(
            trusting: certificate, configuration: "[tls]\nunverified_hosts = [\"localhost\"]\n")
        #expect(
            try lenient.curl("-o", "/dev/null", "-w", "%{http_code}", origin.url("/")).text == "200"
        )
    }

    @Test func `if a client rejects the CA in the TLS handshake, the recorded error says so`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try Tool.run("curl", ["-sS", "-x", proxy.url, origin.url("/")])
        #expect(outcome.status != 0)
        let row = try proxy.row()
        #expect(row.text("method") == "CONNECT")
        #expect(row.text("state") == "failed")
        #expect(row.text("error")?.contains("does not trust") == true, "\(row.object)")
    }

    @Test func `connections to hosts on the pass-through list are not intercepted`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(configuration: "[tls]\npass_through = [\"localhost\"]\n")
        let outcome = try Tool.run(
            "curl",
            ["-sS", "-x", proxy.url, "--cacert", certificate.certificatePath, origin.url("/x")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let row = try proxy.row()
        #expect(row.text("method") == "CONNECT")
        #expect(row.text("state") == "tunnel")
        #expect((row.int("response_body_bytes") ?? 0) > outcome.output.count)
    }

    @Test
    func `plain HTTP in a CONNECT tunnel is recorded, and an unknown protocol is only relayed`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let outcome = try proxy.curl("--proxytunnel", origin.url("/inside"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let row = try proxy.row("path:/inside")
        #expect(row.text("method") == "GET")
        #expect(row.text("scheme") == "http")

        let echo = try EchoServer()
        let client = try RawClient(port: proxy.port)
        client.send("CONNECT 127.0.0.1:\(echo.port) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.read(until: "\r\n\r\n")
        client.send([0x00, 0x01, 0x02, 0x0A])
        #expect(try client.read(until: "\n").utf8.count == 4)
        client.close()
        let tunnel = try proxy.row("method=CONNECT")
        #expect(tunnel.text("state") == "tunnel")
        #expect(tunnel.int("request_body_bytes") == 4)
        #expect(tunnel.int("response_body_bytes") == 4)
    }

    @Test func `Python's requests library and Node accept intercepted TLS if given the CA file`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let script = """
            import sys, requests
            print(requests.get(sys.argv[1], proxies={'https': sys.argv[2]},
                               verify=sys.argv[3]).status_code)
            """
        let python = try Tool.run(
            "python3", ["-c", script, origin.url("/py"), proxy.url, proxy.certificatePath])
        if !python.errors.contains("No module named") {
            #expect(python.text == "200\n", "\(python.errors)")
        }
        guard Tool.find("node") != nil else { return }
        let node = """
            const http = require('http'), https = require('https');
            const u = new URL(process.argv[1]), p = new URL(process.argv[2]);
            http.request({host: p.hostname, port: p.port, method: 'CONNECT', path: u.host})
              .on('connect', (res, socket) => https.get(u, {createConnection: () =>
                  require('tls').connect({socket, servername: u.hostname})},
                  r => { console.log(r.statusCode);
                         r.resume(); r.on('end', () => process.exit()) }))
              .end();
            """
        let outcome = try Tool.run(
            "node", ["-e", node, origin.url("/node"), proxy.url],
            environment: ["NODE_EXTRA_CA_CERTS": proxy.certificatePath])
        #expect(outcome.text == "200\n", "\(outcome.errors)")
    }

    @Test func `the proxy's own page serves the CA certificate in PEM and DER`() throws {
        let proxy = try Daemon()
        let page = try proxy.curl("http://proxyd.local/").text
        #expect(page.contains("/ca.pem"))
        let pem = try proxy.curl("http://proxyd.local/ca.pem").text
        #expect(pem == (try String(contentsOfFile: proxy.certificatePath, encoding: .utf8)))
        let der = try Tool.run("curl", ["-sS", "\(proxy.url)/ca.der"])
        let text = try Tool.run("openssl", ["x509", "-inform", "DER", "-text"], input: der.output)
        #expect(text.text.contains("CA:TRUE, pathlen:0"))
        #expect(try proxy.proxyctl(["list", "--json"]).text.isEmpty)
    }

    @Test func `each data directory gets a CA of its own, and its files are private`() throws {
        let one = try Daemon(), two = try Daemon()
        let pems = try [one, two].map {
            try String(contentsOfFile: $0.certificatePath, encoding: .utf8)
        }
        #expect(pems[0] != pems[1])
        for daemon in [one, two] {
            let modes = try Tool.run(
                "find", [daemon.directory, "-perm", "/077", "!", "-name", "ca.pem"])
            #expect(modes.text.isEmpty, "\(modes.text)")
        }
    }
}

/// `tls.key_log_file`, which Wireshark reads.
struct KeyLogTests {
    private func configuration(_ path: String) -> String {
        "[tls]\nkey_log_file = \"\(path)\"\n"
    }

    @Test(arguments: ["1.2", "1.3"])
    func `the TLS key log contains the keys of both the client and the server connection`(
        version: String
    )
        throws
    {
        let (certificate, scratch) = (try TestCertificate(), try ScratchFolder())
        let origin = try Origin(tls: certificate)
        let file = scratch.path + "/keys.log"
        let proxy = try Daemon(trusting: certificate, configuration: configuration(file))
        try proxy.curl("--tlsv\(version)", "--tls-max", version, origin.url("/"))
        _ = try proxy.row()
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
        let label = version == "1.3" ? "CLIENT_TRAFFIC_SECRET_0 " : "CLIENT_RANDOM "
        // With curl, and with the origin, which always has TLS 1.3.
        #expect(lines.contains { $0.hasPrefix(label) })
        let randoms = Set(lines.compactMap { $0.split(separator: " ").dropFirst().first })
        #expect(randoms.count == 2)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(proxy.service.errors.contains("are written to \(file)"))
    }

    @Test
    func `a TLS key log file is rejected if it is a symbolic link or readable by other users`()
        throws
    {
        let scratch = try ScratchFolder()
        let file = try scratch.write("keys.log", "")
        chmod(file, 0o644)
        let link = scratch.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        for (path, reason) in [(file, "accessible to other users"), (link, "cannot write")] {
            let written = try scratch.write("proxyd.toml", configuration(path))
            let outcome = try Tool.run(
                Tool.built("proxyd"),
                [
                    "--config", written, "--listen", "127.0.0.1:0", "--data-dir",
                    scratch.path + "/d",
                ],
                seconds: 60)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("tls.key_log_file: "), "\(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8).isEmpty)
    }
}
