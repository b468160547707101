import Foundation
import ProxydTestSupport
import Testing

/// HTTP/2 on both sides, with curl, nginx and raw frames.
@Suite(.enabled(if: HTTP2Origin.isAvailable, "nginx and a curl with HTTP/2 are installed"))
struct HTTP2Tests {
    private static let version = ["-w", "%{http_version} %{http_code}\n"]

    @Test func `the server connection uses the same HTTP version as the client connection`() throws
    {
        let origin = try HTTP2Origin()
        let proxy = try Daemon(trusting: origin.certificate)
        let spoken = try proxy.curl("-w", "%{http_version} ", origin.url("/a"), origin.url("/b"))
        #expect(spoken.text == "HTTP/2.0 GET \n2 HTTP/2.0 GET \n2 ")
        let old = try proxy.curl("-w", "%{http_version} ", origin.oldURL("/c"))
        #expect(old.text == "HTTP/1.1 GET \n1.1 ")
        // A client that does not offer HTTP/2 does not make the server speak it.
        let asked = try proxy.curl("--http1.1", "-w", "%{http_version} ", origin.url("/d"))
        #expect(asked.text == "HTTP/1.1 GET \n1.1 ")
        let rows = try proxy.rows(count: 4)
        #expect(
            rows.map { $0.text("http_version") } == ["HTTP/2", "HTTP/2", "HTTP/1.1", "HTTP/1.1"])
        #expect(rows.allSatisfy { $0.text("state") == "complete" })
    }

    @Test func `an h2 request is recorded with its headers as received and its parameters decoded`()
        throws
    {
        let origin = try HTTP2Origin()
        let proxy = try Daemon(trusting: origin.certificate)
        let outcome = try proxy.curl(
            "-H", "X-Echo: b", "-H", "Cookie: k=v", "-d", "user=alice&n=%2B", origin.url("/p?q=1"))
        #expect(outcome.text == "HTTP/2.0 POST k=v\n")
        let row = try proxy.row()
        #expect(row.text("url") == origin.url("/p?q=1") && row.int("status") == 200)
        let shown = try proxy.show(row)
        #expect(shown.row("request")?.pairs("form") == [["user", "alice"], ["n", "+"]])
        #expect(shown.row("request")?.pairs("headers").contains(["x-echo", "b"]) == true)
        #expect(shown.row("response")?.pairs("headers").contains(["x-echo", "b"]) == true)
        let head = try proxy.proxyctl([
            "sql", "SELECT CAST(octets AS TEXT) FROM head WHERE part = 0",
        ])
        #expect(head.text.contains(#":method: POST\r\n:path: /p?q=1\r\n:scheme: https\r\n"#))
    }

    @Test func `prior-knowledge HTTP/2 in a CONNECT tunnel is also used on the server connection`()
        throws
    {
        let origin = try HTTP2Origin()
        let proxy = try Daemon()
        let outcome = try proxy.curl(
            "-p", "--http2-prior-knowledge", "-w", "%{http_version}", origin.plainURL("/c"))
        #expect(outcome.text == "HTTP/2.0 GET \n2")
        #expect(try proxy.row().text("http_version") == "HTTP/2")
    }

    @Test
    func `a prior-knowledge HTTP/2 request to an HTTP/1.1 server gets a 502 with the reason`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let outcome = try proxy.curl(
            "-p", "--http2-prior-knowledge", "-w", "%{http_code}", origin.url("/"))
        #expect(outcome.text.hasSuffix("502") && outcome.text.contains("HTTP/2"))
        #expect(try proxy.row().text("state") == "failed")
    }

    @Test func `the proxy serves its own page over HTTP/2`() throws {
        let proxy = try Daemon()
        let outcome = try Tool.run(
            "curl", ["-sS", "--http2-prior-knowledge", proxy.url + "/"] + Self.version)
        #expect(outcome.text.contains("proxyd is running") && outcome.text.hasSuffix("2 200\n"))
    }

    @Test func `bodies of several megabytes are forwarded completely over h2 in both directions`()
        throws
    {
        let origin = try HTTP2Origin()
        let proxy = try Daemon(trusting: origin.certificate)
        let body = Data((0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try origin.serve(body, as: "large.bin")
        let file = proxy.data.path + "/got"
        let outcome = try proxy.curl("-o", file, origin.url("/files/large.bin"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == body)
        try proxy.curl("-T", file, origin.url("/up/sent.bin"))
        #expect(try origin.uploaded("sent.bin") == body)
        let row = try proxy.row("method=PUT")
        #expect(row.int("request_body_bytes") == body.count && row.int("status") == 201)
    }

    @Test func `an h2 response that arrives before the whole request is sent reaches the client`()
        throws
    {
        let origin = try HTTP2Origin()
        let proxy = try Daemon(trusting: origin.certificate)
        let file = proxy.data.path + "/large"
        try Data(count: 5 << 20).write(to: URL(fileURLWithPath: file))
        // nginx does not wait for the body here.
        let outcome = try proxy.curl(
            "-w", "%{http_code}", "-H", "Expect:", "--data-binary", "@" + file,
            origin.url("/early"))
        #expect(outcome.text == "HTTP/2.0 POST \n200", "\(outcome.errors)")
        #expect(try proxy.row().text("state") == "complete")
    }

    @Test func `parallel requests share one h2 connection to the server`() throws {
        let origin = try HTTP2Origin()
        let proxy = try Daemon(trusting: origin.certificate)
        let urls = (0..<40).map { origin.url("/\($0)") }
        let outcome = try Tool.run(
            "curl",
            [
                "-sS", "-Z", "--parallel-immediate", "-x", proxy.url, "--cacert",
                proxy.certificatePath,
            ] + urls)
        #expect(outcome.text.split(separator: "\n").count == 40, "\(outcome.errors)")
        #expect(try proxy.rows(count: 40).allSatisfy { $0.int("status") == 200 })
        let connections = try proxy.proxyctl([
            "sql", "SELECT count(DISTINCT server_connection_id) FROM exchange",
        ])
        #expect(connections.text.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix("1"))
    }

    @Test
    func `a request with a malformed h2 header section is recorded as failed with status 400`()
        throws
    {
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        // Preface, SETTINGS, and HEADERS of a name in capitals.
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        client.send([0, 0, 0, 4, 0, 0, 0, 0, 0])
        let block: [UInt8] =
            [0x82, 0x84, 0x86, 0x41, 1, 0x68, 0x00, 3] + Array("X-A".utf8) + [1, 0x62]
        client.send([0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block)
        let row = try proxy.row()
        #expect(row.int("status") == 400 && row.text("state") == "failed")
        #expect(row.text("error")?.contains("capital letters") == true)
    }
}
