import Foundation
import ProxydTestSupport
import Testing

/// Networks that are slow or bad because a rule says so, as a person has them.
@Suite(.timeLimit(.minutes(10)))
struct SlowNetworkTests {
    private let data: ScratchFolder

    init() throws { data = try ScratchFolder() }

    private func daemon(
        _ rules: String, trusting certificate: TestCertificate? = nil
    ) throws -> Daemon {
        try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        return try Daemon(trusting: certificate, data: data)
    }

    /// What the record says of the rules of an exchange: each detail, in order.
    private func details(of row: Row, in daemon: Daemon) throws -> [String] {
        let applied = try daemon.show(row).object["applied_rules"] as? [[String: Any]] ?? []
        return applied.compactMap { $0["detail"] as? String }
    }

    @Test func `a throttle with a seed and a failure rate fails some requests but not all`() throws
    {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "bad"
            request = [{ throttle = { fail_per_10k = 50, seed = 7 } }]

            """)
        let statuses = try (0..<16).map { _ in
            try daemon.curl("-o", "/dev/null", server.url("/bytes/10240")).status
        }
        #expect(Set(statuses.map { $0 == 0 }).count == 2, "\(statuses)")
    }

    @Test
    func `a throttle's random sequence survives a reload, and restarts if its rule is re-added`()
        throws
    {
        let server = try Origin()
        let rules = """
            [[rule]]
            name = "bad"
            request = [{ throttle = { fail_per_10k = 50, seed = 7 } }]

            """
        let daemon = try daemon(rules)
        func run() throws -> [Bool] {
            try (0..<16).map { _ in
                try daemon.curl("-o", "/dev/null", server.url("/bytes/10240")).status == 0
            }
        }
        func putInForce(_ rules: String) throws {
            try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
            #expect(try daemon.proxyctl(["rule", "reload"]).status == 0)
        }
        let first = try run()
        try putInForce(rules)
        #expect(try run() != first)
        try putInForce("")
        try putInForce(rules)
        #expect(try run() == first)
    }

    @Test(arguments: ["", "--http1.1", "--http2"])
    func `a throttle with cut_after closes the connection after that number of response bytes`(
        _ version: String
    ) throws {
        let certificate = version.isEmpty ? nil : try TestCertificate()
        let server = try Origin(tls: certificate)
        let daemon = try daemon(
            """
            [[rule]]
            name = "cut"
            when = 'path:/bytes'
            request = [{ throttle = { cut_after = 50000 } }]

            """, trusting: certificate)
        let cut = try daemon.curl(
            version.isEmpty ? "--http1.1" : version, "-o", "/dev/null", "-w", "%{size_download}",
            server.url("/bytes/100000"))
        // What the client reads of it is never more than may pass.
        #expect([18, 92].contains(cut.status), "\(cut)")
        #expect(Int(cut.text) ?? .max <= 50_000, "\(cut)")
        if version.isEmpty { #expect(cut.text == "50000") }
        let row = try daemon.row("path:/bytes")
        #expect(row.text("state") == "failed")
        #expect(row.text("error") == "rule blocked: cut")
        #expect(
            try details(of: row, in: daemon)
                == ["custom", "closed after 50000 bytes to the client"])
        // What is shorter is whole.
        let whole = try daemon.curl(
            "-o", "/dev/null", "-w", "%{size_download}", server.url("/bytes/50000"))
        #expect(whole.text == "50000" && whole.status == 0)
    }

    @Test func `a throttle with a seed and a failure rate resets a predictable connection`() throws
    {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "bad"
            when = 'path:/bytes'
            request = [{ throttle = { fail_per_10k = 100, seed = 7 } }]

            """)
        let reset = try daemon.curl("-o", "/dev/null", server.url("/bytes/10"))
        #expect(reset.status == 56, "\(reset)")
        let row = try daemon.row("path:/bytes")
        #expect(row.text("error") == "rule blocked: bad")
        #expect(
            try details(of: row, in: daemon) == ["custom", "reset after 0 bytes to the client"])
        #expect(row.int("status") == 200)
    }

    @Test func `a throttle with cut_after closes the connection during an upload`() throws {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "cut"
            request = [{ throttle = { cut_after = 1000 } }]

            """)
        let body = data.path + "/body"
        try Data(repeating: 0x61, count: 5_000).write(to: URL(fileURLWithPath: body))
        let cut = try daemon.curl("--data-binary", "@\(body)", server.url("/upload"))
        #expect(cut.status == 52 || cut.status == 56, "\(cut)")
        let row = try daemon.row()
        #expect(
            try details(of: row, in: daemon)
                == ["custom", "closed after 1000 bytes to the server"])
        #expect(row.int("request_body_bytes") == 5_000)
    }

    // MARK: Connections

    @Test func `a throttled tunnel is slow in both directions and delays the CONNECT response`()
        throws
    {
        let echo = try EchoServer()
        let daemon = try daemon(
            """
            [[rule]]
            name = "narrow"
            connect = [{ throttle = { down_kbps = 80, up_kbps = 160, latency_ms = 100 } }]

            """)
        let client = try RawClient(port: daemon.port)
        client.send("CONNECT 127.0.0.1:\(echo.port) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.read(until: "\r\n\r\n")
        // Text that no request begins with: it is relayed.
        let sent = "?" + String(repeating: "x", count: 2_999)
        client.send(sent)
        client.endSending()
        #expect(client.readToEnd() == sent)
        let row = try daemon.row("method=CONNECT")
        #expect(row.text("state") == "tunnel")
        #expect(row.int("request_body_bytes") == 3_000 && row.int("response_body_bytes") == 3_000)
        #expect(row.object["rules"] as? [String] == ["narrow"])
        // A round trip before the answer, one for the bytes, and 3,000 of them at 10,000 a second;
        // no less is right, more may be.
        #expect(row.double("duration_ms") ?? 0 >= 500, "\(row)")
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `throttling a connection slows its TLS handshake and its response`(_ version: String)
        throws
    {
        let certificate = try TestCertificate()
        let server = try Origin(tls: certificate)
        let daemon = try daemon(
            """
            [[rule]]
            name = "narrow"
            when = 'host=localhost'
            connect = [{ throttle = { down_kbps = 400, latency_ms = 100 } }]

            """, trusting: certificate)
        let slow = try daemon.curl(
            version, "-o", "/dev/null", "-w",
            "%{size_download} %{time_connect} %{time_appconnect} "
                + "%{time_total}", server.url("/bytes/20000"))
        let parts = slow.text.split(separator: " ").compactMap { Double($0) }
        try #require(parts.count == 4, "\(slow)")
        #expect(parts[0] == 20_000)
        // A round trip for CONNECT, one at least for TLS, and one for the response, which takes
        // 400 ms at 50,000 bytes a second.
        #expect(parts[2] >= 0.19, "\(slow)")
        #expect(parts[3] >= 0.68, "\(slow)")
        let row = try daemon.row("path:/bytes")
        #expect(row.text("state") == "complete")
        // It is over when the line has delivered it.
        #expect(row.double("duration_ms") ?? 0 >= 400, "\(row)")
    }

    /// The shorter response is all on the line when it is cut.
    @Test(arguments: ["--http1.1", "--http2"], [100_000, 30_000])
    func `an exchange is recorded as blocked if a cut_after throttle closes its TLS connection`(
        _ version: String, _ byteCount: Int
    ) throws {
        let certificate = try TestCertificate()
        let server = try Origin(tls: certificate)
        let daemon = try daemon(
            """
            [[rule]]
            name = "cut"
            connect = [{ throttle = { cut_after = 20000 } }]

            """, trusting: certificate)
        let cut = try daemon.curl(version, "-o", "/dev/null", server.url("/bytes/\(byteCount)"))
        #expect(cut.status != 0, "\(cut)")
        let row = try daemon.row("path:/bytes")
        #expect(row.text("error") == "rule blocked: cut")
        let details = try details(of: row, in: daemon)
        #expect(details.contains("closed after 20000 bytes to the client"), "\(details)")
    }

    @Test func `a throttle set to offline makes requests and tunnels fail with a 502`()
        throws
    {
        let daemon = try daemon(
            """
            [[rule]]
            name = "plane"
            connect = [{ throttle = "offline" }]

            """)
        let tunnel = try daemon.curl("https://tunnel.test/")
        #expect(tunnel.errors.contains("502"), "\(tunnel)")
        let plain = try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", "http://a.test/")
        #expect(plain.text == "502")
    }

    @Test func `throttling connections also slows plain HTTP proxy requests`() throws {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "narrow"
            connect = [{ throttle = { down_kbps = 80, latency_ms = 100 } }]

            """)
        try daemon.curl("-o", "/dev/null", server.url("/bytes/3000"))
        #expect(try daemon.row().double("duration_ms") ?? 0 >= 400)
    }

    @Test(arguments: ["request", "connect"])
    func `a throttle also slows a connection after it was upgraded to WebSocket`(_ phase: String)
        throws
    {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "narrow"
            \(phase) = [{ throttle = { down_kbps = 80, up_kbps = 80 } }]

            """)
        let client = try RawClient(port: daemon.port)
        client.send(
            "GET \(server.url("/ws")) HTTP/1.1\r\nHost: \(server.authority)\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        _ = try client.read(until: "\r\n\r\n")
        // A binary message of 3,000 bytes, masked with nothing, which comes back as it is.
        client.send([0x82, 0xFE, 0x0B, 0xB8, 0, 0, 0, 0] + [UInt8](repeating: 0x61, count: 3_000))
        try client.skip(3_008)
        client.close()
        // 3,008 bytes at 10,000 a second.
        #expect(try daemon.row().double("duration_ms") ?? 0 >= 300)
    }
}
