import ProxydHTTPModel
import ProxydInterchange
import Testing

/// Packet captures in which the two ends of a connection do not take turns.
struct PacketOrderTests: PacketReporting {
    private static let upload =
        "POST /up HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"

    private func followed(_ pieces: [(isSent: Bool, text: String)]) -> String {
        let lines = pieces.map { ($0.isSent ? "" : "\t") + hex($0.text) + "\n" }
        return heading("tcp") + lines.joined() + end
    }

    @Test(arguments: [1, 1 << 20])
    func `a captured 100 response sent before the request body belongs to the same exchange`(
        pieceByteCount: Int
    ) throws {
        // As tshark 4 reports an upload by curl: the interim response has a line of its own.
        let index =
            row("1700000000.5", false, "", "100") + row("1700000000.6", true, "POST", "")
            + row("1700000000.7", false, "", "200") + row("1700000000.8", true, "GET", "")
            + row("1700000000.9", false, "", "204")
        let found = try read(
            index: index,
            followed: followed([
                (true, PacketOrderTests.upload), (false, "HTTP/1.1 100 Continue\r\n\r\n"),
                (true, "body"), (false, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
                (true, "GET /b HTTP/1.1\r\nHost: a.test\r\n\r\n"),
                (false, "HTTP/1.1 204 No Content\r\n\r\n"),
            ]), pieceByteCount: pieceByteCount)
        #expect(found.problems.isEmpty)
        let exchanges = found.exchanges.map(\.exchange)
        #expect(exchanges.map { $0.response?.status } == [200, 204])
        #expect(exchanges.first?.informational.map(\.status) == [100])
        #expect(exchanges.first?.request.body == Body(Array("body".utf8)))
        // The times are those of the final responses.
        #expect(exchanges.map { $0.timeline[.responseLastByte] } == [100_000_000, 100_000_000])
        #expect(exchanges.map(\.annotations.tags) == [[], []])
    }

    @Test(arguments: ["eth:ip:tcp:http", "eth:ip:tcp:http:data", "eth:ip:tcp:http:json"])
    func `the sender of a partial response at the start of a capture is not taken for the client`(
        layers: String
    ) throws {
        let index =
            row("1700000000.5", false, "", "", layers: layers)
            + row("1700000000.6", false, "", "200")
        let found = try read(
            index: index,
            followed: followed([
                (true, "GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n"),
                (false, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            ]))
        #expect(found.problems.isEmpty)
        #expect(found.exchanges.map { $0.exchange.response?.status } == [200])
    }

    @Test
    func `a captured response sent before the end of its request is assigned to that request`()
        throws
    {
        let index =
            row("1700000000.5", false, "", "413") + row("1700000000.6", true, "POST", "")
        let early = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"
        let found = try read(
            index: index,
            followed: followed([
                (true, PacketOrderTests.upload + "bo"), (false, early), (true, "dy"),
            ]))
        #expect(found.problems.isEmpty)
        let exchange = try #require(found.exchanges.first).exchange
        #expect(found.exchanges.count == 1)
        #expect(exchange.state == .complete)
        #expect(exchange.response?.status == 413)
        #expect(exchange.request.body == Body(Array("body".utf8)))
    }

    @Test
    func `a captured response to an unfinished request is kept with the partial request body`()
        throws
    {
        let early = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"
        let cut = try read(
            index: row("1700000000.5", false, "", "413"),
            followed: followed([(true, PacketOrderTests.upload + "bo"), (false, early)]))
        let exchange = try #require(cut.exchanges.first).exchange
        #expect(exchange.response?.status == 413)
        #expect(exchange.request.body == Body(byteCount: 4, kept: Array("bo".utf8)))
        // Nothing says how long a body in chunks would have been.
        let chunked = try read(
            index: row("1700000000.5", false, "", "413"),
            followed: followed([
                (
                    true,
                    "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo"
                ), (false, early),
            ]))
        #expect(
            chunked.exchanges.map(\.exchange.annotations.tags)
                == [["missing-body", "missing-time"]])
    }

    @Test func `a second captured response to an unfinished request is reported as a problem`()
        throws
    {
        let early = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"
        let found = try read(
            index: row("1700000000.5", false, "", "413"),
            followed: followed([(true, PacketOrderTests.upload), (false, early + early)]))
        #expect(
            found.problems.map(\.description) == ["connection 7: a response follows no request"])
    }

    @Test func `pipelined requests in a capture get their responses in order`() throws {
        let index =
            "7\t1700000000.5\teth:ip:tcp:http\t\(Self.client)\tGET,HEAD,GET\t\t\n"
            + "7\t1700000000.7\teth:ip:tcp:http\t\(Self.server)\t\t200,200,304\t\n"
        let requests = ["GET /1", "HEAD /2", "GET /3"]
            .map { "\($0) HTTP/1.1\r\nHost: a.test\r\n\r\n" }.joined()
        // The second has a length and no body, because it answers HEAD.
        let answers =
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
            + "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
            + "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"
        let found = try read(
            index: index, followed: followed([(true, requests), (false, answers)]))
        #expect(found.problems.isEmpty)
        let exchanges = found.exchanges.map(\.exchange)
        #expect(exchanges.map { $0.request.url?.pathText } == ["/1", "/2", "/3"])
        #expect(exchanges.map { $0.response?.body.byteCount } == [1, 0, 0])
        #expect(
            exchanges.map { $0.timeline[.responseLastByte] }
                == Array(repeating: 200_000_000, count: 3))
    }

    @Test func `a captured tunnel in which the server sends first is not read as HTTP`() throws {
        let found = try read(
            index: row("1700000000.5", true, "CONNECT", "") + row("1700000000.6", false, "", "200"),
            followed: followed([
                (true, "CONNECT b.test:443 HTTP/1.1\r\nHost: b.test:443\r\n\r\n"),
                (false, "HTTP/1.1 200 OK\r\n\r\nbanner"),
                (true, "GET / HTTP/1.1\r\nHost: inner.test\r\n\r\n"), (false, "more"),
            ]))
        #expect(found.problems.isEmpty)
        #expect(found.exchanges.map(\.exchange.state) == [.tunnel])
        #expect(found.exchanges.first?.exchange.request.url == .tunnel(host: "b.test", port: 443))
    }

    @Test
    func `a captured response that ends early because its connection closed is marked incomplete`()
        throws
    {
        let request = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"
        let index = row("1700000000.5", true, "GET", "")
        let cut = try read(
            index: index,
            followed: followed([
                (true, request), (false, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
            ]))
        #expect(
            cut.exchanges.map(\.exchange.response?.body)
                == [Body(byteCount: 10, kept: Array("half".utf8))])
        // The length of the rest is not known.
        let chunked = try read(
            index: index,
            followed: followed([
                (true, request),
                (false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal"),
            ]))
        let part = try #require(chunked.exchanges.first).exchange
        #expect(part.response?.body == Body(Array("hal".utf8)))
        #expect(part.annotations.tags == ["missing-body"])
        #expect(part.failure?.origin == .proxy)
        #expect(part.failure?.message == "the response was not captured to its end")
    }

    @Test func `captured bytes that are not HTTP affect only their own connection`() throws {
        let index =
            row("1700000000.5", true, "GET", "")
            + row("1700000000.6", true, "GET", "", number: 8)
        let odd = heading("tcp") + hex("\u{1}\u{2}\u{3} nothing\r\n\r\n") + "\n" + end
        let good =
            heading("tcp", number: 8) + hex("GET /8 HTTP/1.1\r\nHost: a.test\r\n\r\n") + "\n\t"
            + hex("HTTP/1.1 204 No Content\r\n\r\n") + "\n" + end
        let found = try read(index: index, followed: odd + good)
        #expect(found.exchanges.map { $0.exchange.request.url?.pathText } == ["/8"])
        #expect(found.problems.count == 1)
        #expect(found.problems.first?.place == "connection 7")
        let lonely = try read(
            index: index, followed: followed([(false, "HTTP/1.1 200 OK\r\n\r\n")]))
        #expect(
            lonely.problems.map(\.description) == ["connection 7: a response follows no request"])
    }

    @Test func `an overlong line in tshark's output affects only its own connection`() throws {
        let index =
            row("1700000000.5", true, "GET", "")
            + row("1700000000.6", true, "GET", "", number: 8)
        let long = String(repeating: "6", count: 8 << 20 + 2) + "\n"
        let request = hex("GET /8 HTTP/1.1\r\nHost: a.test\r\n\r\n") + "\n"
        let found = try read(
            index: index,
            followed: heading("tcp") + long + request + end + heading("tcp", number: 8) + request
                + end)
        #expect(found.problems.map(\.description) == ["connection 7: a piece of it is too long"])
        #expect(found.exchanges.map { $0.exchange.request.url?.pathText } == ["/8"])
    }
}

/// What the list of packets says, and what it does not.
struct PacketListTests: PacketReporting {
    private static let request = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n"

    private func only(_ index: String, node: String = "127.0.0.1:4000") throws -> Exchange {
        let found = try read(
            index: index,
            followed: heading("tcp", node) + hex(PacketListTests.request) + "\n" + end)
        #expect(found.exchanges.count == 1)
        return try #require(found.exchanges.first).exchange
    }

    @Test func `IPv6 addresses from tshark's output are imported in brackets`() throws {
        let index = "7\t1700000000.5\teth:ipv6:tcp:http\t\t::1\t4000\t\t::2\t8080\tGET\t\t\n"
        let exchange = try only(index, node: "::1:4000")
        #expect(exchange.client?.peerAddress == "[::1]:4000")
        #expect(exchange.server?.peerAddress == "[::2]:8080")
        #expect(exchange.request.url?.description == "http://a.test:8080/x")
    }

    @Test func `the innermost IP address of a captured IP tunnel is used`() throws {
        let index =
            "7\t1700000000.5\teth:ip:gre:ip:tcp:http\t192.0.2.1,127.0.0.1\t\t4000\t"
            + "192.0.2.2,127.0.0.2\t\t80\tGET\t\t\n"
        #expect(try only(index).client?.peerAddress == "127.0.0.1:4000")
    }

    @Test func `client and server are told apart in a capture whose first message is a response`()
        throws
    {
        let exchange = try only(row("1700000000.5", false, "", "100"))
        #expect(exchange.client?.peerAddress == "127.0.0.1:4000")
        #expect(exchange.server?.peerAddress == "127.0.0.1:80")
    }

    @Test(arguments: [
        "7\tyesterday", "7\t-5.0", "7\t9000000000.0", "x\t1700000000.5", "7\t1700000000.-5", "7\t",
    ])
    func `an invalid line in tshark's packet list is ignored`(start: String) throws {
        let index = "\(start)\teth:ip:tcp:http\t\(Self.client)\tGET\t\t\n"
        let found = try read(index: index, followed: "")
        #expect(found.exchanges.isEmpty && found.problems.isEmpty && found.leftOut.isEmpty)
    }

    @Test func `packet times from tshark are read to the nanosecond`() throws {
        for (text, ns) in [
            ("1700000000", 0), ("1700000000.5", 500_000_000), ("1700000000.000000001", 1),
            ("1700000000.1234567891", 123_456_789),
        ] {
            let exchange = try only(row(text, true, "GET", ""))
            #expect(exchange.timeline.wallStart == 1_700_000_000_000_000_000 + Int64(ns))
        }
    }

    @Test func `a captured request without Host gets the server address of its connection`() throws
    {
        let index = row("1700000000.5", true, "GET", "")
        let found = try read(
            index: index, followed: heading("tcp") + hex("GET /x HTTP/1.0\r\n\r\n") + "\n" + end)
        #expect(
            found.exchanges.map { $0.exchange.request.url?.description } == ["http://127.0.0.1/x"])
    }

    @Test func `tshark is asked to follow the connections of a capture in groups of 32`() throws {
        var capture = PacketCapture()
        let index = (0..<70).map { row("1700000000.5", true, "GET", "", number: $0) }.joined()
        capture.receive(index: Array(index.utf8))
        try capture.finishIndex(problem: nil) { _ in }
        var groups: [[String]] = []
        while let arguments = capture.nextArguments() {
            groups.append(arguments.filter { $0.hasPrefix("follow,") })
        }
        #expect(groups.map(\.count) == [32, 32, 6])
        // tshark writes in the reverse of this order.
        #expect(groups.first?.first == "follow,tcp,raw,31")
        #expect(groups.last?.last == "follow,tcp,raw,64")
    }
}
