import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl replay` on what a real proxyd captured.
@Suite(.timeLimit(.minutes(10)))
struct ReplayTests {
    private let daemon: Daemon
    private let origin: ReplayOrigin

    init() throws {
        daemon = try Daemon(configuration: "[recording]\nbody_capture_byte_count_max = 4096\n")
        origin = try ReplayOrigin()
    }

    /// Sends a request, one byte a character, through the proxy; what the origin got.
    private func capture(_ text: String) throws -> (row: Row, sent: String) {
        let known = try daemon.rows(count: 0).last?.int("id") ?? 0
        let client = try RawClient(port: daemon.port)
        client.send(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        _ = try client.read(until: "\r\n\r\n")
        let sent = try origin.nextRequest()
        return (try row(after: known), sent)
    }

    /// The newest row, once there is one behind a number.
    private func row(after id: Int) throws -> Row {
        try Eventually.value(orFail: "nothing came after #\(id)") {
            try daemon.rows(count: 0).last.flatMap { $0.int("id") ?? 0 > id ? $0 : nil }
        }
    }

    private func replay(_ row: Row, _ arguments: String...) throws -> Tool.Outcome {
        try daemon.proxyctl(["replay", String(try #require(row.int("id")))] + arguments)
    }

    /// All that is known of an exchange, as text.
    private func shown(_ row: Row) throws -> String {
        try daemon.proxyctl(["show", String(try #require(row.int("id"))), "--json"]).text
    }

    private var url: String { "http://\(origin.authority)" }

    // MARK: Exact

    @Test func `an exact replay sends the same bytes to the origin as the original request`() throws
    {
        let requests = [
            "GET \(url)/a?x=%7e&&b HTTP/1.1\r\nhOsT:\(origin.authority)\r\nX-B:  two \r\n"
                + "x-b:\tagain\r\nX-Empty:\r\nCookie: a=\u{E9}\u{FF}\r\nACCEPT: */*\r\n\r\n",
            "PUT \(url)/body HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length:   4\r\n"
                + "Content-Type: x/y\r\n\r\n\u{0}\u{FF}\r\n",
            "POST \(url)/empty HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 0\r\n\r\n",
            "BREW \(url)/pot HTTP/1.1\r\nHost: other.test\r\nProxy-Connection: close\r\n"
                + "X-Last: 1\r\n\r\n",
        ]
        for request in requests {
            let (row, sent) = try capture(request)
            let before = try shown(row)
            let outcome = try replay(row, "--exact")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let again = try origin.nextRequest()
            #expect(again == sent)
            #expect(try shown(row) == before)
            let new = try self.row(after: row.int("id") ?? 0)
            #expect(new.int("replay_of") == row.int("id"))
            #expect(new.int("status") == 200)
            #expect(new.text("state") == "complete")
            #expect(new.isNull("client_address"))
            #expect(new.text("server_address") == origin.authority)
        }
    }

    @Test
    func `an exact replay of a chunked body keeps its content but not its division into chunks`()
        throws
    {
        let (row, sent) = try capture(
            "POST \(url)/c HTTP/1.1\r\nHost: \(origin.authority)\r\nX-A: 1\r\n"
                + "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
                + "4\r\nsome\r\n5;ext=1\r\n body\r\n0\r\nX-T: 9\r\n\r\n")
        #expect(try replay(row, "--exact").status == 0)
        let again = try origin.nextRequest()
        let end = try #require(again.range(of: "\r\n\r\n"))
        #expect(sent.hasPrefix(again[..<end.upperBound]))
        #expect(again[end.upperBound...] == "9\r\nsome body\r\n0\r\nX-T: 9\r\n\r\n")
    }

    // MARK: Semantic

    @Test func `a replay with edits changes only the edited parts of the request`() throws {
        let (form, sentForm) = try capture(
            "POST \(url)/f?a=1&b=%7e HTTP/1.1\r\nhost: \(origin.authority)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nX-A:  1\r\n"
                + "Content-Length: 9\r\n\r\nu=a+b&t=1")
        #expect(try replay(form).status == 0)
        #expect(try origin.nextRequest() == sentForm)
        let edited = try replay(
            form, "--set", "header:X-A=2", "--set", "query:a=é", "--set", "form:t=two",
            "--unset", "query:b", "--set", "method=PUT")
        #expect(edited.status == 0, "\(edited.errors)")
        #expect(
            try origin.nextRequest()
                == "PUT /f?a=%C3%A9 HTTP/1.1\r\nhost: \(origin.authority)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nX-A: 2\r\n"
                + "Content-Length: 11\r\n\r\nu=a+b&t=two")
        let new = try #require(try daemon.rows(count: 3).last)
        #expect(new.text("method") == "PUT")
        #expect(new.text("query") == "a=%C3%A9")

        let (json, _) = try capture(
            "POST \(url)/j HTTP/1.1\r\nHost: \(origin.authority)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 16\r\n\r\n"
                + #"{"a": [1, 2.50]}"#)
        #expect(
            try replay(json, "--set", #"json:a[0]={"x":null}"#, "--set", "url=/other").status == 0)
        #expect(
            try origin.nextRequest()
                == "POST /other HTTP/1.1\r\nHost: \(origin.authority)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 25\r\n\r\n"
                + #"{"a": [{"x":null}, 2.50]}"#)
    }

    // MARK: Many

    @Test func `proxyctl replay --times sends the given number of requests and records each one`()
        throws
    {
        let (row, sent) = try capture(
            "GET \(url)/n HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let outcome = try replay(row, "--times", "40", "--concurrency", "8", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try origin.nextRequests(40).allSatisfy { $0 == sent })
        let lines = try outcome.text.split(separator: "\n").map { try Row(json: String($0)) }
        #expect(lines.count == 40)
        #expect(
            lines.allSatisfy { $0.text("body") == "same" && $0.row("replay")?.int("status") == 200 }
        )
        let rows = try daemon.rows("", count: 41)
        #expect(rows.filter { $0.int("replay_of") == row.int("id") }.count == 40)
        #expect(Set(lines.compactMap { $0.int("id") }).count == 40)
        #expect(
            Set(lines.compactMap { $0.int("id") })
                == Set(rows.dropFirst().compactMap { $0.int("id") }))
    }

    @Test
    func `proxyctl replay --stop-on-mismatch fails at the first response unlike the recorded one`()
        throws
    {
        let (row, _) = try capture(
            "GET \(url)/gone HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let all = try replay(row, "--times", "3")
        #expect(all.status == 0)
        #expect(all.text.contains("200 > 410"))
        #expect(all.text.contains("3 replayed: 0 as before, 3 different"))
        let first = try replay(row, "--times", "30", "--stop-on-mismatch", "--json")
        #expect(first.status == 1)
        #expect(first.text.split(separator: "\n").count == 1)
        #expect(try Row(json: first.text).object["mismatch"] as? Bool == true)
    }

    @Test
    func `proxyctl replay --filter replays each match once and does not replay its own replays`()
        throws
    {
        for number in 0..<5 {
            _ = try capture(
                "GET \(url)/r\(number) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        }
        let outcome = try daemon.proxyctl([
            "replay", "--filter", "path:/r", "--concurrency", "2",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("5 replayed: 5 as before"))
        let rows = try daemon.rows(count: 10)
        #expect(rows.count == 10)
        #expect(
            Set(rows.compactMap { $0.int("replay_of") })
                == Set(rows.prefix(5).compactMap { $0.int("id") }))
        let none = try daemon.proxyctl(["replay", "--filter", "path:/none"])
        #expect(none.status == 1)
        #expect(none.errors.contains("nothing matched"))
    }

    // MARK: Refused

    @Test
    func `proxyctl replay rejects malformed requests, truncated bodies and tunnels with a message`()
        throws
    {
        let malformed = try RawClient(port: daemon.port)
        malformed.send("GET \(url)/ HTTP/1.1\r\nBad Name: 1\r\n\r\n")
        _ = malformed.readToEnd()
        _ = try daemon.rows(count: 1)
        let large = String(repeating: "x", count: 10_000)
        let (truncated, _) = try capture(
            "POST \(url)/big HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 10000\r\n"
                + "\r\n\(large)")
        let echo = try EchoServer()
        let tunnel = try RawClient(port: daemon.port)
        tunnel.send("CONNECT 127.0.0.1:\(echo.port) HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try tunnel.read(until: "\r\n\r\n")
        tunnel.send("\u{1}binary")
        _ = try tunnel.read(until: "binary")
        tunnel.close()
        let rows = try daemon.rows(count: 3)
        let cases = [
            (rows.first { $0.text("state") == "failed" }, "its request is malformed"),
            (truncated, "only 4096 of the 10000 bytes of its request's body were kept"),
            (rows.first { $0.text("state") == "tunnel" }, "it is a tunnel"),
        ]
        for (row, message) in cases {
            for arguments in [[], ["--exact"]] {
                let id = String(try #require(row?.int("id")))
                let outcome = try daemon.proxyctl(["replay", id] + arguments)
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
            }
        }
        #expect(try daemon.rows(count: 3).count == 3)
        #expect(try replay(truncated).errors.contains("(use --truncated to send them)"))
        #expect(try daemon.proxyctl(["replay", "4711"]).status == 1)
        #expect(try daemon.proxyctl(["replay", "1", "--exact", "--set", "method=A"]).status == 64)
        #expect(try daemon.proxyctl(["replay", "1", "--set", "nonsense"]).status == 64)
        #expect(try daemon.proxyctl(["replay"]).status == 64)
    }

    @Test(arguments: [[], ["--exact"]])
    func `proxyctl replay --truncated sends the recorded part of a truncated body`(
        options: [String]
    ) throws {
        let (row, _) = try capture(
            "POST \(url)/cut HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 7000\r\n"
                + "\r\n" + String(repeating: "y", count: 7_000))
        let id = String(try #require(row.int("id")))
        let outcome = try daemon.proxyctl(["replay", id, "--truncated"] + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            try origin.nextRequest()
                == "POST /cut HTTP/1.1\r\nHost: \(origin.authority)\r\n"
                + "Content-Length: 4096\r\n\r\n" + String(repeating: "y", count: 4_096))
    }

    // MARK: The store

    @Test
    func `without a running proxyd, proxyctl replay writes its records directly to the store`()
        throws
    {
        let (row, sent) = try capture(
            "GET \(url)/x HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(daemon.stop() == 0)
        let outcome = try replay(row, "--times", "3", "--exact")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try origin.nextRequests(3).allSatisfy { $0 == sent })
        let rows = try daemon.rows(count: 4)
        #expect(rows.dropFirst().allSatisfy { $0.int("replay_of") == row.int("id") })
        #expect(rows.dropFirst().allSatisfy { $0.text("state") == "complete" })
    }

    @Test func `replays and live traffic are recorded at the same time`() async throws {
        let (row, _) = try capture(
            "GET \(url)/live HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let daemon = daemon
        let target = "\(url)/live"
        async let live: Void = {
            for _ in 0..<10 { try daemon.curl("-o", "/dev/null", target) }
        }()
        let outcome = try replay(row, "--times", "50", "--concurrency", "4")
        try await live
        #expect(outcome.status == 0, "\(outcome.errors)")
        let rows = try daemon.rows(count: 61)
        #expect(rows.count == 61)
        #expect(rows.filter { $0.int("replay_of") == row.int("id") }.count == 50)
        #expect(Set(rows.compactMap { $0.int("id") }).count == 61)
        #expect(try daemon.proxyctl(["check"]).status == 0)
    }

    @Test func `proxyctl replay ignores http_proxy and uses a proxy only with --via-proxy`() throws
    {
        let (row, _) = try capture(
            "GET \(url)/v HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let id = String(try #require(row.int("id")))
        let silent = try SilentPort()
        let dead = "http://127.0.0.1:\(silent.port)"
        let direct = try Tool.run(
            try Tool.built("proxyctl"), ["--data-dir", daemon.directory, "replay", id],
            environment: ["http_proxy": dead, "all_proxy": dead])
        #expect(direct.status == 0, "\(direct.errors)")
        #expect(try replay(row, "--via-proxy", dead).status == 1)
        #expect(try replay(row, "--via-proxy").status == 0)
        let rows = try daemon.rows(count: 5)
        // Each replay is recorded here; the last one by the proxy on its way, too.
        #expect(rows.filter { $0.int("replay_of") == row.int("id") }.count == 3)
        #expect(rows.filter { $0.text("client_address") != nil }.count == 2)
    }

    @Test func `proxyctl replay verifies server certificates unless --insecure is given`() throws {
        let certificate = try TestCertificate()
        let secure = try ReplayOrigin(tls: certificate)
        let (row, _) = try capture(
            "GET \(url)/s HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        let id = String(try #require(row.int("id")))
        let edit = ["--set", "url=https://localhost:\(secure.port)/s"]
        let refused = try daemon.proxyctl(["replay", id] + edit)
        #expect(refused.status == 1)
        let failed = try #require(try daemon.rows(count: 2).last)
        #expect(failed.text("state") == "failed")
        #expect(failed.text("error")?.contains("certificate") == true)
        #expect(try daemon.proxyctl(["replay", id, "--insecure"] + edit).status == 0)
        let trusted = try Tool.run(
            try Tool.built("proxyctl"), ["--data-dir", daemon.directory, "replay", id] + edit,
            environment: ["SSL_CERT_FILE": certificate.certificatePath])
        #expect(trusted.status == 0, "\(trusted.errors)")
        let last = try #require(try daemon.rows(count: 4).last)
        #expect(last.text("tls_version")?.hasPrefix("TLSv1") == true)
        _ = try secure.nextRequests(2)
    }
}
