import ProxydHTTPModel
import ProxydInterchange
import Testing

/// Packet captures in which bytes are missing: tshark writes how many instead.
struct PacketGapTests: PacketReporting {
    private enum Piece {
        case sent(String)
        case received(String)
        case sentGap(Int)
        case receivedGap(Int)
    }

    private func get(_ number: Int) -> String {
        "GET /\(number) HTTP/1.1\r\nHost: a.test\r\n\r\n"
    }

    private func answer(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func gap(_ count: Int) -> String { "[\(count) bytes missing in capture file]\0" }

    private func followed(_ pieces: [Piece], number: Int = 7) -> String {
        let lines = pieces.map { piece in
            switch piece {
            case .sent(let text): hex(text) + "\n"
            case .received(let text): "\t" + hex(text) + "\n"
            case .sentGap(let count): hex(gap(count)) + "\n"
            case .receivedGap(let count): "\t" + hex(gap(count)) + "\n"
            }
        }
        return heading("tcp", number: number) + lines.joined() + end
    }

    private func read(_ pieces: [Piece]) throws -> PacketFindings {
        try read(index: row("1700000000.5", true, "GET", ""), followed: followed(pieces))
    }

    private func outcomes(_ found: PacketFindings) -> [String] {
        found.exchanges.map { imported in
            let body = imported.exchange.response.map {
                String(decoding: $0.body.kept, as: UTF8.self)
            }
            return "\(imported.exchange.request.url?.pathText ?? "?") \(body ?? "-")"
        }
    }

    @Test func `a response that is lost from a packet capture affects only its own exchange`()
        throws
    {
        var pieces: [Piece] = []
        for number in 0..<1_000 {
            pieces.append(.sent(get(number)))
            // tshark sees that bytes are missing when the next ones come.
            if number == 31 { pieces.append(.receivedGap(answer("31").utf8.count)) }
            if number != 30 { pieces.append(.received(answer("\(number)"))) }
        }
        let found = try read(pieces)
        #expect(outcomes(found) == (0..<1_000).map { "/\($0) \($0 == 30 ? "-" : "\($0)")" })
        let lost = found.exchanges[30].exchange
        #expect(lost.failure?.origin == .proxy)
        #expect(lost.failure?.message == "no response was captured")
        #expect(found.leftOut == ["gap"])
        #expect(found.problems.isEmpty)
    }

    @Test func `a request that is lost from a packet capture affects only its own exchange`() throws
    {
        let found = try read([
            .sent(get(0)), .received(answer("a")), .received(answer("b")),
            .sentGap(get(1).utf8.count), .sent(get(2)), .received(answer("c")),
        ])
        #expect(outcomes(found) == ["/0 a", "/2 c"])
        #expect(
            found.problems.map(\.description) == ["connection 7: a response follows no request"])
    }

    @Test
    func `after a gap in captured pipelined requests, no request gets another request's response`()
        throws
    {
        let found = try read([
            .sent(get(0)), .sentGap(get(1).utf8.count), .sent(get(2)), .received(answer("a")),
            .received(answer("b")), .received(answer("c")),
        ])
        #expect(outcomes(found) == ["/0 a", "/2 -"])
        #expect(found.problems.count == 2)
        let headless = try read([
            .sent(String(get(0).prefix(20))), .sentGap(get(0).utf8.count - 20), .sent(get(2)),
            .received(answer("a")), .received(answer("c")),
        ])
        #expect(outcomes(headless) == ["/2 -"])
    }

    @Test func `a captured message ends at a gap of more bytes than a TCP connection can carry`()
        throws
    {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        let gaps = (0..<200).map { _ in Piece.receivedGap(1 << 32) }
        let found = try read([.sent(get(0)), .received(head + "a")] + gaps)
        #expect(outcomes(found) == ["/0 a"])
        #expect(found.exchanges.first?.exchange.annotations.tags.contains("missing-bytes") == true)
    }

    @Test func `a captured body with a gap keeps the bytes around the gap and the full length`()
        throws
    {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1200\r\n\r\n"
        let part = String(repeating: "x", count: 400)
        let found = try read([
            .sent(get(0)), .received(head + part), .receivedGap(400), .received(part),
            .sent(get(1)), .received(answer("b")),
        ])
        let cut = try #require(found.exchanges.first).exchange
        #expect(cut.response?.body == Body(byteCount: 1_200, kept: Array((part + part).utf8)))
        #expect(cut.annotations.tags.contains("missing-bytes"))
        #expect(outcomes(found).last == "/1 b")
        #expect(found.problems.isEmpty)
    }

    @Test
    func `bytes missing from a captured chunk count as body length, and later chunks are read`()
        throws
    {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let found = try read([
            .sent(get(0)), .received(head + "a\r\n012"), .receivedGap(4),
            .received("789\r\n2\r\nhi\r\n0\r\n\r\n"), .sent(get(1)), .received(answer("b")),
        ])
        #expect(
            found.exchanges.first?.exchange.response?.body
                == Body(byteCount: 12, kept: Array("012789hi".utf8)))
        #expect(outcomes(found).last == "/1 b")
    }

    @Test(arguments: [5, 7, 30])
    func `a capture gap across the end of a chunk ends only that message`(count: Int) throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let found = try read([
            .sent(get(0)), .received(head + "8\r\n0123"), .receivedGap(count),
            .received("xx\r\n0\r\n\r\n"), .sent(get(1)), .received(answer("b")),
        ])
        #expect(outcomes(found).count == 2)
        #expect(outcomes(found).last == "/1 b")
        #expect(found.exchanges.first?.exchange.annotations.tags.contains("missing-bytes") == true)
    }

    @Test
    func `after a capture gap across two responses, later responses go to the right requests`()
        throws
    {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
        let found = try read([
            .sent(get(0)), .received(head + "0123"), .sent(get(1)), .sent(get(2)),
            .receivedGap(4 + answer("b").utf8.count), .received(answer("c")), .sent(get(3)),
            .received(answer("d")),
        ])
        #expect(outcomes(found) == ["/0 0123", "/1 -", "/2 c", "/3 d"])
    }

    @Test func `a capture gap within a head ends that message, and the next message is found`()
        throws
    {
        let found = try read([
            .sent(get(0)), .received("HTTP/1.1 200 O"), .receivedGap(20),
            .received("ngth: 1\r\n\r\nx"), .sent(get(1)), .received(answer("b")),
            .sent("GET /2 HTT"), .sentGap(10), .sent("t: a.test\r\n\r\n"), .received(answer("c")),
            .sent(get(3)), .received(answer("d")),
        ])
        #expect(outcomes(found) == ["/0 -", "/1 b", "/3 d"])
    }

    @Test
    func `even with gaps in both directions of a capture, no request gets another's response`()
        throws
    {
        let found = try read([
            .sent(get(0)), .receivedGap(answer("a").utf8.count), .received(answer("b")),
            .sentGap(get(1).utf8.count), .sent(get(2)), .received(answer("c")),
        ])
        #expect(outcomes(found) == ["/0 -", "/2 c"])
        #expect(found.problems.count == 1)
    }

    @Test
    func `captured pipelined requests are given no response that follows a gap in the responses`()
        throws
    {
        let found = try read([
            .sent(get(0) + get(1) + get(2)), .received(answer("a")),
            .receivedGap(answer("b").utf8.count), .received(answer("c")),
        ])
        #expect(outcomes(found) == ["/0 a", "/1 -", "/2 -"])
        #expect(found.problems.count == 1)
    }

    @Test func `a captured upload with a gap is imported with the bytes around the gap`() throws {
        let post = "POST /up HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\n"
        let found = try read([
            .sent(post + "012"), .sentGap(4), .sent("789"), .received(answer("a")),
            .sent(get(1)), .received(answer("b")),
        ])
        #expect(outcomes(found) == ["/up a", "/1 b"])
        #expect(
            found.exchanges.first?.exchange.request.body
                == Body(byteCount: 10, kept: Array("012789".utf8)))
    }

    @Test func `a captured response with a gap is not given the packet time of another response`()
        throws
    {
        // It does not see the end of a body with a gap.
        let index =
            row("1700000000.1", true, "GET", "") + row("1700000000.3", true, "GET", "")
            + row("1700000000.4", false, "", "200")
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
        let found = try read(
            index: index,
            followed: followed([
                .sent(get(0)), .received(head + "01"), .receivedGap(2), .received("45"),
                .sent(get(1)), .received(answer("b")),
            ]))
        #expect(
            found.exchanges.map { $0.exchange.timeline[.responseLastByte] } == [nil, 100_000_000])
    }

    @Test
    func `a captured WebSocket is read up to the first gap, which its last message reports`()
        throws
    {
        let opening =
            "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        let found = try read(
            index: row("1700000000.5", true, "GET", ""),
            followed: followed([
                .sent(opening),
                .received("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"),
                .received("\u{1}"), .receivedGap(30), .received("\u{1}x"),
            ]))
        let last = try #require(found.exchanges.first?.messages.last)
        #expect(last.kind == .invalid)
        #expect(last.problem == "the capture lacks 30 bytes; what follows is not read")
    }

    @Test
    func `after a truncated captured request, a response is not assigned to an earlier request`()
        throws
    {
        let found = try read([
            .sent(get(0)), .received(answer("x")), .sent(get(1)), .receivedGap(9), .sent(get(2)),
            .sent("GET /3 HTTP/1.1\r\n"), .received(answer("z")),
        ])
        #expect(outcomes(found).prefix(3) == ["/0 x", "/1 -", "/2 -"])
        #expect(found.problems.map(\.message).contains("a response follows no request"))
    }

    @Test
    func `a captured response that began before a gap in the requests is assigned to no request`()
        throws
    {
        let late = answer("of the lost request 3")
        let found = try read([
            .sent(get(1)), .sentGap(9), .sent(get(2)), .receivedGap(9),
            .received(String(late.prefix(50))), .sentGap(9), .sent(get(4)),
            .received(String(late.dropFirst(50))), .sent(get(5)),
        ])
        #expect(outcomes(found) == ["/1 -", "/2 -", "/4 -", "/5 -"])
        #expect(found.problems.map(\.message) == ["a response follows no request"])
    }

    @Test func `a captured HTTP/2 connection is still read after a gap within a DATA frame`() throws
    {
        func frame(_ type: UInt8, _ flags: UInt8, _ payload: [UInt8], _ count: Int? = nil)
            -> [UInt8]
        {
            [0, 0, UInt8(count ?? payload.count), type, flags, 0, 0, 0, 1] + payload
        }
        let index = "7\t1700000000.5\teth:ip:tcp:http2\t\(Self.client)\t\t\t1\n"
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        let found = try read(
            index: index,
            followed: heading("tcp")
                + hex(preface + frame(4, 0, []) + frame(1, 5, [0x82, 0x86, 0x84, 0x41, 1, 0x62]))
                + "\n\t" + hex(frame(4, 0, []) + frame(1, 4, [0x88]) + frame(0, 1, [0x61], 9))
                + "\n\t" + hex(gap(7)) + "\n\t" + hex([0x7A]) + "\n" + end)
        let exchange = try #require(found.exchanges.first).exchange
        #expect(exchange.state == .complete)
        #expect(exchange.response?.body == Body(byteCount: 9, kept: [0x61, 0x7A]))
        #expect(exchange.annotations.tags == ["missing-bytes"])
        #expect(found.problems.isEmpty)
    }

    @Test
    func `reading of captured HTTP/2 stops at a gap outside a DATA frame, and this is reported`()
        throws
    {
        let index = "7\t1700000000.5\teth:ip:tcp:http2\t\(Self.client)\t\t\t1\n"
        let found = try read(
            index: index,
            followed: followed([.sent("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), .sentGap(9)]))
        #expect(
            found.problems.map(\.message)
                == [
                    "the capture lacks 9 bytes of the client's; "
                        + "what follows them in HTTP/2 is not read"
                ])
    }

    @Test func `captured HTTP/2 requests are still read after a gap in the responses`() throws {
        func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
        }
        func request(_ stream: UInt8) -> String {
            hex(frame(1, 5, stream, [0x82, 0x86, 0x84, 0x41, 1, 0x62]))
        }
        let settings = frame(4, 0, 0, [])
        let found = try read(
            index: "7\t1700000000.5\teth:ip:tcp:http2\t\(Self.client)\t\t\t1\n",
            followed: heading("tcp")
                + hex(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings) + request(1)
                + "\n\t" + hex(settings + frame(1, 4, 1, [0x88]) + frame(0, 0, 1, [0x61]))
                + "\n\t" + hex(gap(99)) + "\n" + request(3) + "\n"
                + "\t" + hex(frame(1, 5, 3, [0x88])) + "\n" + end)
        #expect(
            found.exchanges.map(\.exchange.failure?.message) == [
                "the response was not captured to its end", "no response was captured",
            ])
        #expect(found.exchanges.first?.exchange.response?.body.kept == [0x61])
        #expect(found.exchanges.map(\.exchange.annotations.tags) == [["missing-body"], []])
        #expect(
            found.problems.map(\.message) == [
                "the capture lacks 99 bytes of the server's; "
                    + "what follows them in HTTP/2 is not read"
            ])
    }

    @Test(arguments: [
        "[99999999999 bytes missing in capture file]", "[x bytes missing in capture file]",
        "[ bytes missing in capture file]", "[0 bytes missing in capture file]",
        "see [4 bytes missing in capture file]",
    ])
    func `captured body text that resembles tshark's gap notice is kept as body bytes`(
        text: String
    ) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
        let found = try read([.sent(get(0)), .received(head), .received(text)])
        #expect(outcomes(found) == ["/0 \(text)"])
        #expect(found.leftOut.isEmpty)
    }
}
