import Foundation
import ProxydTestSupport
import Testing

/// Real clients of a reverse listener.
@Suite(.timeLimit(.minutes(10)))
struct ReverseListenerTests {
    /// A daemon with one reverse listener, and the port of that one.
    private func daemon(
        to server: String, _ keys: String = "", configuration: String = "", rules: String? = nil,
        trusting certificate: TestCertificate? = nil
    ) throws -> (proxy: Daemon, port: Int) {
        let data = try ScratchFolder()
        if let rules {
            try rules.write(
                toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        }
        let proxy = try Daemon(
            trusting: certificate,
            configuration: configuration + """

                [[listener]]
                name = "front"
                mode = "reverse"
                address = "127.0.0.1:0"
                to = "\(server)"
                \(keys)

                """,
            data: data)
        return (proxy, try proxy.nextPort())
    }

    @Test func `a reverse listener forwards requests to its server with that server's Host`() throws
    {
        let origin = try Origin()
        let (proxy, port) = try daemon(to: origin.url(""))
        let outcome = try proxy.plainCurl(["-d", "x", "http://localhost:\(port)/echo?q"])
        #expect(outcome.text.contains("[\"Host\", \"127.0.0.1:\(origin.port)\"]"), "\(outcome)")
        #expect(outcome.text.contains("\"target\": \"/echo?q\""))
        let row = try proxy.row()
        #expect(row.text("url") == origin.url("/echo?q"))
        #expect(row.text("state") == "complete")
        let shown = try proxy.show(row)
        #expect(shown.text("listener") == "front")
        #expect(shown.text("mode") == "reverse")
    }

    @Test func `a reverse listener can add a prefix to each path and send a configured Host`()
        throws
    {
        let origin = try Origin()
        let (proxy, port) = try daemon(to: origin.url("/echo/v1"), "host = \"other.test:81\"")
        let outcome = try proxy.plainCurl(["http://127.0.0.1:\(port)/a"])
        #expect(outcome.text.contains("\"target\": \"/echo/v1/a\""), "\(outcome)")
        #expect(outcome.text.contains("[\"Host\", \"other.test:81\"]"))
        let sent = try proxy.show(try proxy.row()).row("request")?.row("sent")
        #expect(sent != nil)
    }

    @Test
    func `a reverse listener rewrites redirects to its server into redirects to the listener`()
        throws
    {
        let server = try ScriptedOrigin()
        let (proxy, port) = try daemon(to: "http://127.0.0.1:\(server.port)/base")
        let client = try RawClient(port: port)
        client.send("GET /a HTTP/1.1\r\nHost: front.test\r\nConnection: close\r\n\r\n")
        let location = "http://127.0.0.1:\(server.port)/base/b"
        let request = try server.answer(
            Array(
                ("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n").utf8))
        #expect(request.text.hasPrefix("GET /base/a HTTP/1.1\r\n"))
        let answer = client.readToEnd() ?? ""
        #expect(answer.contains("\r\nLocation: http://front.test/b\r\n"), "\(answer)")
        let response = try proxy.show(try proxy.row()).row("response")
        let came = response?.pairs("headers").first { $0.first == "Location" }
        #expect(came == ["Location", location])
        let sent = response?.row("sent")?.pairs("headers").first { $0.first == "Location" }
        #expect(sent == ["Location", "http://front.test/b"])
    }

    // MARK: TLS

    @Test(arguments: ["--http1.1", "--http2"])
    func `a reverse listener with TLS presents a certificate for the name in the client's SNI`(
        version: String
    ) throws {
        let origin = try Origin()
        let (proxy, port) = try daemon(to: origin.url(""), "tls = true\nnames = [\"us.test\"]")
        for name in ["us.test", "other.test", "localhost"] {
            let outcome = try proxy.plainCurl([
                version, "--resolve", "\(name):\(port):127.0.0.1", "-w", " %{http_code}",
                "https://\(name):\(port)/echo",
            ])
            #expect(outcome.text.hasSuffix(" 200"), "\(name) \(outcome)")
        }
        // Without a name, the certificate is for the first of the listener's names.
        let unnamed = try proxy.plainCurl(["https://127.0.0.1:\(port)/echo"])
        #expect(unnamed.status == 60, "\(unnamed)")
        let plain = try proxy.plainCurl(["-i", "http://127.0.0.1:\(port)/echo"])
        #expect(plain.text.hasPrefix("HTTP/1.1 400 "), "\(plain)")
    }

    @Test
    func `a reverse listener without configured names presents a certificate for its address`()
        throws
    {
        let origin = try Origin()
        let (proxy, port) = try daemon(to: origin.url(""), "tls = true")
        #expect(try proxy.plainCurl(["https://127.0.0.1:\(port)/echo"]).status == 0)
    }

    @Test(.enabled(if: HTTP2Origin.isAvailable, "nginx or curl with HTTP/2 is not installed"))
    func `a reverse listener uses HTTP/2 on both sides and verifies the server's certificate`()
        throws
    {
        let origin = try HTTP2Origin()
        let (proxy, port) = try daemon(
            to: origin.url(""), "tls = true", trusting: origin.certificate)
        let outcome = try proxy.plainCurl(["--http2", "-i", "https://localhost:\(port)/"])
        #expect(outcome.text.hasPrefix("HTTP/2 200"), "\(outcome)")
        #expect(outcome.text.contains("HTTP/2.0 GET"))
        let older = try proxy.plainCurl(["--http1.1", "https://localhost:\(port)/"])
        #expect(older.text.contains("HTTP/1.1 GET"), "\(older)")
        let (stranger, otherPort) = try daemon(to: origin.url(""), "tls = true")
        let refused = try stranger.plainCurl(["-i", "https://localhost:\(otherPort)/"])
        #expect(refused.text.contains(" 502"), "\(refused)")
    }

    @Test func `a reverse listener presents the configured certificate and reloads it on SIGHUP`()
        throws
    {
        let origin = try Origin()
        let (first, second) = (try TestCertificate(), try TestCertificate())
        let files = try ScratchFolder()
        let (pem, key) = (files.path + "/us.pem", files.path + "/us.key")
        let use = { (certificate: TestCertificate) in
            for (from, to) in [(certificate.certificatePath, pem), (certificate.keyPath, key)] {
                try Data(contentsOf: URL(fileURLWithPath: from)).write(
                    to: URL(fileURLWithPath: to))
            }
        }
        try use(first)
        let (proxy, port) = try daemon(
            to: origin.url(""), "certificate = \"\(pem)\"\nkey = \"\(key)\"")
        let status = { (certificate: TestCertificate) in
            try Tool.run(
                "curl",
                [
                    "-sS", "--max-time", "60", "--cacert", certificate.certificatePath,
                    "https://localhost:\(port)/echo",
                ]
            ).status
        }
        #expect(try [status(first), status(second)] == [0, 60])
        let configuration = try String(
            contentsOfFile: proxy.data.path + "/proxyd.toml", encoding: .utf8)
        try use(second)
        try proxy.reload(configuration, until: "configuration reloaded")
        #expect(try [status(first), status(second)] == [60, 0])
        try "nothing".write(toFile: pem, atomically: true, encoding: .utf8)
        try proxy.reload(configuration, until: "the old one stays in force")
        #expect(proxy.service.errors.contains("proxyd.toml:"))
        #expect(try [status(first), status(second)] == [60, 0])
    }

    // MARK: Protocols in HTTP

    @Test func `a WebSocket works through a reverse listener`() throws {
        let origin = try Origin()
        let (proxy, port) = try daemon(to: origin.url(""))
        let client = try RawClient(port: port)
        client.send(
            "GET /ws-echo HTTP/1.1\r\nHost: us\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        client.send([0x81, 0x82, 0, 0, 0, 0] + Array("hi".utf8))
        #expect(try client.read(until: "hi").hasSuffix("\u{2}hi"))
        client.send([0x88, 0x82, 0, 0, 0, 0, 3, 0xE8])
        _ = client.readToEnd()
        client.close()
        let row = try proxy.row("proto:ws")
        #expect(row.int("messages") == 2)
        #expect(row.text("state") == "complete", "\(row)")
    }

    @Test(.enabled(if: RPCServer.isAvailable, "grpcio is not installed"))
    func `gRPC calls work through a reverse listener`() throws {
        let server = try RPCServer()
        let (proxy, port) = try daemon(to: "http://localhost:\(server.port)")
        let calls = try RPCServer.run("ask", at: port)
        #expect(calls.map(\.code) == [0, 0, 0, 0, 0, 0, 0, 5, 10, 4, 1])
        let rows = try proxy.rows("path:Calls", count: calls.count)
        #expect(rows.allSatisfy { $0.text("protocol") == "grpc" })
    }

    @Test(.enabled(if: RPCServer.isAvailable, "grpcio is not installed"))
    func `thousands of small gRPC calls and messages through a reverse listener get responses`()
        throws
    {
        let server = try RPCServer()
        let (proxy, port) = try daemon(to: "http://localhost:\(server.port)")
        let answered = try RPCServer.countMany(at: port)
        #expect(answered == ["calls": 2_500, "answers": 2_500])
        #expect(try proxy.row("path:Chat").int("messages") == 5_000)
    }

    // MARK: Refused

    @Test(arguments: [
        "GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n",
        "CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n",
    ])
    func `a reverse listener rejects a request for another host and records it`(request: String)
        throws
    {
        let origin = try Origin()
        let (proxy, port) = try daemon(to: origin.url(""))
        let answer = try Daemon.answer(at: port, to: Array(request.utf8))
        #expect(answer?.hasPrefix("HTTP/1.1 400 ") == true, "\(answer ?? "")")
        let row = try proxy.row()
        #expect(row.int("status") == 400)
        #expect(row.text("error") != nil, "\(row)")
    }

    @Test func `a reverse listener responds with a 403 if its server is in a denied network`()
        throws
    {
        let origin = try Origin()
        let (proxy, port) = try daemon(
            to: origin.url(""),
            configuration: "[forwarding]\ndenied_target_networks = [\"127.0.0.0/8\"]\n")
        let outcome = try proxy.plainCurl(["-i", "http://localhost:\(port)/"])
        #expect(outcome.text.hasPrefix("HTTP/1.1 403 "), "\(outcome)")
        #expect(try proxy.row().text("error")?.contains("is not allowed") == true)
    }

    @Test func `rules apply to the traffic of a reverse listener`() throws {
        let origin = try ReplayOrigin()
        let (proxy, port) = try daemon(
            to: "http://\(origin.authority)",
            rules: """
                [[rule]]
                name = "mark"
                when = 'path=/a'
                request = [{ set = "header:X-Env", value = "staging" }]
                response = [{ set = "status", value = 418 }]
                [[rule]]
                name = "local"
                when = 'path=/b'
                request = [{ respond = 201 }]

                """)
        let statuses = try ["a", "b", "c"].map { path in
            try proxy.plainCurl([
                "-o", "/dev/null", "-w", "%{http_code}", "http://localhost:\(port)/\(path)",
            ]).text
        }
        #expect(statuses == ["418", "201", "200"])
        #expect(try origin.nextRequest().contains("\r\nX-Env: staging\r\n"))
    }
}
