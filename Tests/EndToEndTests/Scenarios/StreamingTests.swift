import Foundation
import ProxydTestSupport
import Testing

/// Nothing is held back: what one side sends, the other gets before the end.
struct StreamingTests {
    @Test
    func `the client receives the first bytes of a response before the server sends the last ones`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send("GET \(origin.url("/hold-body/gate")) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.read(until: "first").contains("Content-Length: 10"))
        let row = try proxy.rows("path:/hold-body", count: 1, final: false)[0]
        #expect(row.text("state") == "active")
        try proxy.curl(origin.url("/release/gate"))
        #expect(try client.read(until: "-last").hasSuffix("-last"))
        #expect(try proxy.row("path:/hold-body").text("state") == "complete")
    }

    @Test
    func `the server receives the first bytes of an upload before the client sends the last ones`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send(
            "POST \(origin.url("/upload-gate/up")) HTTP/1.1\r\nHost: x\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        // The gate opens when the origin has seen the first bytes; the upload is not over.
        #expect(try proxy.curl(origin.url("/wait/up")).text == "open")
        client.send("0\r\n\r\n")
        #expect(try client.read(until: "\r\n\r\n5").hasSuffix("5"))
    }

    @Test func `server-sent events are stored while their stream is still open`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send("GET \(origin.url("/sse/events")) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.read(until: "data: one")
        let body = try Eventually.value(orFail: "the first event is not in the store") {
            let row = try proxy.rows("path:/sse", count: 1, final: false)[0]
            #expect(row.text("state") == "active")
            let body = try proxy.show(row).row("response")?.text("body_text")
            return body?.contains("data: one") == true ? body : nil
        }
        #expect(body == "data: one\n\n")
        try proxy.curl(origin.url("/release/events"))
        _ = try client.read(until: "data: two")
        let shown = try proxy.show(try proxy.row("path:/sse"))
        #expect(shown.row("response")?.text("body_text") == "data: one\n\ndata: two\n\n")
    }

    @Test func `a WebSocket is forwarded and its messages are recorded`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send(
            "GET \(origin.url("/ws")) HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Version: 13\r\n\r\n")
        let head = try client.read(until: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 101 "))
        #expect(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        // A text and the frame that closes, with a mask of zeroes: both come back as they are.
        client.send([0x81, 0x85, 0, 0, 0, 0] + Array("Hello".utf8))
        #expect(try client.read(until: "Hello").hasSuffix("\0\0\0\0Hello"))
        client.send([0x88, 0x80, 0, 0, 0, 0])
        _ = try client.read(until: "\0\0\0\0")
        client.close()
        let row = try proxy.row("path:/ws")
        #expect(row.int("status") == 101)
        #expect(row.text("state") == "complete")
        #expect(row.int("request_body_bytes") == 17)
        #expect(row.int("response_body_bytes") == 17)
        let id = String(row.int("id") ?? 0)
        let said = try proxy.proxyctl(["messages", id, "--json"]).text.split(separator: "\n")
        let messages = try said.map { try Row(json: String($0)) }
        #expect(messages.map { $0.text("kind") } == ["text", "text", "close", "close"])
        #expect(messages[1].text("text") == "Hello")
        #expect(messages[1].text("problem")?.hasPrefix("a server's frame with a mask") == true)
    }

    @Test func `fifty pipelined requests get their responses in order`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        let all = (0..<50).map { "GET \(origin.url("/n\($0)")) HTTP/1.1\r\nHost: x\r\n\r\n" }
        client.send(all.joined())
        var text = ""
        for number in 0..<50 { text += try client.read(until: "\"/n\(number)\"") }
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 51)
        #expect(try proxy.rows(count: 50).map { $0.text("path") } == (0..<50).map { "/n\($0)" })
    }
}

/// A slow side slows the other one down, and no one else.
struct BackPressureTests {
    private static let byteCount = 256 << 20
    /// What may be on the way: the kernel's buffers on both sides, and ours.
    private static let inFlightByteCountMax = 64 << 20

    @Test func `a client that does not read its response slows only its own server connection`()
        throws
    {
        let rig = try LoadRig()
        let proxy = try Daemon(trusting: rig.certificate)
        let client = try RawClient(port: proxy.port)
        let grownMiB = try proxy.residentGrowthMiB {
            client.send(
                "GET \(rig.url("/give/slow/\(Self.byteCount)")) HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            try expectOthersUnaffected(rig, proxy)
        }
        let taken = Int(try rig.ask("/taken/slow")) ?? .max
        #expect(taken < Self.inFlightByteCountMax)
        #expect(grownMiB < 48)
        // It was held up, not given up.
        try client.skip(Self.byteCount)
        let row = try proxy.row("path:/give")
        #expect(row.int("response_body_bytes") == Self.byteCount)
        #expect(row.text("state") == "complete")
    }

    @Test func `a server that does not read an upload slows only that upload's client`() throws {
        let rig = try LoadRig()
        let proxy = try Daemon(trusting: rig.certificate)
        let file = try SparseFile(byteCount: Self.byteCount)
        let upload = try Service(
            try #require(Tool.find("curl")),
            ["-sS", "-x", proxy.url, "-H", "Expect:", "-T", file.path, rig.url("/held/slow")])
        _ = try proxy.rows("path:/held", count: 1, final: false)
        let grownMiB = try proxy.residentGrowthMiB { try expectOthersUnaffected(rig, proxy) }
        let seen = try proxy.rows("path:/held", count: 1, final: false)[0]
        #expect((seen.int("request_body_bytes") ?? .max) < Self.inFlightByteCountMax)
        #expect(grownMiB < 48)
        _ = try rig.ask("/release/slow")
        #expect(upload.waitForExit() == 0)
        #expect(try proxy.row("path:/held").int("request_body_bytes") == Self.byteCount)
    }

    private func expectOthersUnaffected(_ rig: LoadRig, _ proxy: Daemon) throws {
        let sent = try rig.send(0..<300, through: proxy)
        #expect(sent.int("done") == 300, "\(sent.object)")
    }
}
