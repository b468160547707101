import ProxydHTTPModel
import ProxydHTTPWire
import ProxydInterchange
import Testing

/// What tshark reports about packet captures.
struct PacketCaptureTests: PacketReporting {
    @Test(arguments: [1, 13, 1 << 20])
    func `HTTP messages in a packet capture are decoded with the times of their packets`(count: Int)
        throws
    {
        let index =
            row("1700000000.5", true, "GET", "") + row("1700000000.75", false, "", "200")
            + row("1700000001.5", true, "POST", "") + row("1700000002.0", false, "", "404")
        let followed =
            heading("tcp") + hex("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n") + "\n\t"
            + hex("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n") + "\n\t"
            + hex("hi\r\n0\r\n\r\n") + "\n"
            + hex("POST /b HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\nx") + "\n\t"
            + hex("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n") + "\n" + end
        let found = try read(index: index, followed: followed, pieceByteCount: count)
        #expect(found.problems.isEmpty)
        let exchanges = found.exchanges.map(\.exchange)
        #expect(
            exchanges.map { $0.request.url?.description } == ["http://a.test/a", "http://a.test/b"])
        #expect(exchanges.first?.response?.body == Body(Array("hi".utf8)))
        #expect(exchanges.last?.request.body == Body(Array("x".utf8)))
        #expect(exchanges.first?.timeline.wallStart == 1_700_000_000_500_000_000)
        #expect(exchanges.first?.timeline[.responseLastByte] == 250_000_000)
        #expect(exchanges.last?.timeline.connectionReused == true)
        #expect(exchanges.first?.client?.peerAddress == "127.0.0.1:4000")
        #expect(exchanges.first?.annotations.tags == [])
    }

    @Test func `the side of a captured connection that tshark lists first need not be the client`()
        throws
    {
        let index =
            row("1700000000.5", true, "", "", layers: "eth:ip:tcp:tls")
            + row("1700000000.6", true, "GET", "", layers: "eth:ip:tcp:tls:http")
        let followed =
            heading("tls", "127.0.0.1:80") + "\t" + hex("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
            + "\n" + hex("HTTP/1.1 200 OK\r\n\r\nto the end") + "\n" + end
        let exchange = try #require(
            try read(index: index, followed: followed).exchanges.first
        ).exchange
        // The port is that of the connection.
        #expect(exchange.request.url?.description == "https://a.test:80/")
        #expect(exchange.response?.body == Body(Array("to the end".utf8)))
    }

    @Test func `captured TLS connections without keys are counted as skipped`() throws {
        let index = row("1700000000.5", true, "", "", layers: "eth:ip:tcp:tls")
        let found = try read(index: index, followed: "")
        #expect(found.leftOut == ["encrypted connection"])
        #expect(found.exchanges.isEmpty)
    }

    @Test func `a captured request without a response is imported unless the capture is cut short`()
        throws
    {
        let index = row("1700000000.5", true, "GET", "")
        let followed =
            heading("tcp") + hex("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n") + "\n" + end
        let alone = try read(index: index, followed: followed)
        #expect(alone.exchanges.map(\.exchange.failure?.message) == ["no response was captured"])
        let broken = try read(index: index, followed: followed, problem: "it was cut short")
        #expect(broken.exchanges.isEmpty)
        #expect(broken.problems.map(\.message) == ["it was cut short"])
        #expect(broken.problems.first?.isDamage == true)
    }

    @Test func `WebSocket messages that follow the handshake in a packet capture are imported`()
        throws
    {
        let index = row("1700000000.5", true, "GET", "") + row("1700000000.6", false, "", "101")
        let followed =
            heading("tcp")
            + hex(
                "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: upgrade\r\n"
                    + "Upgrade: websocket\r\n\r\n"
            )
            + "\n\t"
            + hex("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
            + hex([0x81, 2, 0x68, 0x69]) + "\n"
            + hex([0x81, 0x82, 1, 2, 3, 4, 0x6F ^ 1, 0x6B ^ 2]) + "\n" + end
        let imported = try #require(try read(index: index, followed: followed).exchanges.first)
        #expect(imported.exchange.upgradedTo == "websocket")
        #expect(
            imported.messages.map(\.content) == [
                .bytes(Array("hi".utf8)), .bytes(Array("ok".utf8)),
            ])
    }

    @Test func `a captured HTTP/2 response that ends before its request is decoded`() throws {
        func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
        }
        func literal(_ name: String, _ value: String) -> [UInt8] {
            [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)]
                + Array(value.utf8)
        }
        let request =
            [0x83, 0x87] + literal(":path", "/p") + literal(":authority", "b.test")
            + literal("content-length", "4")
        let sent =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])
            + frame(1, 4, 1, request)
        let response = frame(4, 0, 0, []) + frame(1, 4, 1, [0x88]) + frame(0, 1, 1, [0x6F, 0x6B])
        let index =
            "7\t1700000000.5\teth:ip:tcp:tls:http2\t\(PacketCaptureTests.client)\t\t\t0,1\n"
            + "7\t1700000000.6\teth:ip:tcp:tls:http2\t\(PacketCaptureTests.server)\t\t\t1,1\n"
        // The response ends before the request does; its last part has padding.
        let followed =
            heading("tls") + hex(sent) + "\n\t" + hex(response) + "\n"
            + hex(frame(0, 0, 1, [1, 2]) + frame(0, 9, 1, [1, 3, 4, 0])) + "\n" + end
        let exchange = try #require(
            try read(index: index, followed: followed).exchanges.first
        ).exchange
        #expect(exchange.state == .complete)
        #expect(exchange.request.url?.description == "https://b.test/p")
        #expect(exchange.request.head?.version == .http2)
        #expect(exchange.request.body == Body([1, 2, 3, 4]))
        #expect(exchange.response?.body == Body(Array("ok".utf8)))
        #expect(exchange.timeline[.responseLastByte] == 100_000_000)
        #expect(exchange.http2?.clientStream == StreamID(rawValue: 1))
    }

    @Test func `captured requests that await a response are buffered only up to a size limit`()
        throws
    {
        let index = row("1700000000.5", true, "POST", "")
        let request =
            "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3000\r\n\r\n"
            + String(repeating: "x", count: 3_000)
        let followed = heading("tcp") + hex(request) + "\n" + hex(request) + "\n" + end
        let found = try read(index: index, followed: followed, byteCountMax: 8_000)
        // The first is let go of, so that the second fits.
        #expect(found.exchanges.count == 2)
        #expect(
            found.exchanges.map(\.exchange.failure?.message)
                == Array(repeating: "no response was captured", count: 2))
        #expect(found.problems.isEmpty)
    }

    private func frame(_ type: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) -> [UInt8]
    {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0]
            + [16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) } + payload
    }

    private static let http2 = "7\t1700000000.5\teth:ip:tcp:http2\t\(client)\t\t\t1\n"
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let post: [UInt8] = [0x83, 0x86, 0x84, 0x41, 1, 0x62]

    @Test func `open HTTP/2 streams of a packet capture are buffered only up to a size limit`()
        throws
    {
        let body = [UInt8](repeating: 0, count: 3_000)
        let sent =
            PacketCaptureTests.preface + frame(4, 0, 0, [])
            + [1, 3, 5].flatMap {
                frame(1, 4, $0, PacketCaptureTests.post) + frame(0, 0, $0, body)
            }
        let followed = heading("tcp") + hex(sent) + "\n" + end
        let found = try read(
            index: PacketCaptureTests.http2, followed: followed, byteCountMax: 11_000)
        #expect(found.exchanges.count == 3)
        #expect(found.exchanges.last?.exchange.request.body.byteCount == 0)
        #expect(
            found.problems.map(\.description) == ["connection 7: its open streams are too large"])
        #expect(
            try read(index: PacketCaptureTests.http2, followed: followed).problems.isEmpty)
    }

    @Test func `open HTTP/2 streams beyond 10,000 in a packet capture are left out and counted`()
        throws
    {
        let sent =
            PacketCaptureTests.preface + frame(4, 0, 0, [])
            + (0..<10_002).flatMap { frame(1, 5, $0 * 2 + 1, PacketCaptureTests.post) }
        let found = try read(
            index: PacketCaptureTests.http2, followed: heading("tcp") + hex(sent) + "\n" + end)
        #expect(found.exchanges.count == 10_000)
        #expect(
            found.problems.map(\.message) == [
                "2 streams were left out: more than 10000 were open"
            ])
    }

    @Test func `a captured HTTP/2 connection whose beginning is missing is reported`() throws {
        let index = "7\t1700000000.5\teth:ip:tcp:http2\t\(PacketCaptureTests.client)\t\t\t1\n"
        let found = try read(
            index: index, followed: heading("tcp") + "000000040100000000\n" + end)
        #expect(
            found.problems.map(\.description) == ["connection 7: its start was not recorded"])
        let junk = row("1700000000.5", true, "GET", "")
        let odd = try read(index: junk, followed: heading("tcp") + "4 is not hex\n" + end)
        #expect(odd.problems.map(\.description) == ["connection 7: tshark wrote something else"])
    }
}
