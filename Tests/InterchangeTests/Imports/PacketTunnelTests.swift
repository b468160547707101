import ProxydHTTPModel
import ProxydInterchange
import Testing

/// Packet captures of what is not plain HTTP between a client and a server: tunnels through
/// proxies, and messages that are not valid.
struct PacketTunnelTests: PacketReporting {
    private static let connect = "CONNECT b.test:8080 HTTP/1.1\r\nHost: b.test:8080\r\n\r\n"
    private static let opened = "HTTP/1.1 200 OK\r\n\r\n"
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"

    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: b.test\r\n\r\n" }

    private func followed(_ pieces: [(isSent: Bool, text: String)], layer: String = "tcp") -> String
    {
        let lines = pieces.map { ($0.isSent ? "" : "\t") + hex($0.text) + "\n" }
        return heading(layer) + lines.joined() + end
    }

    private let index = "7\t1700000000.5\teth:ip:tcp:http\t\(client)\tCONNECT\t\t\n"

    @Test
    func `a captured CONNECT tunnel is imported with its byte counts and the HTTP inside it`()
        throws
    {
        let found = try read(
            index: index,
            followed: followed([
                (true, Self.connect), (false, Self.opened), (true, get("/1")),
                (false, Self.answer), (true, get("/2")), (false, Self.answer),
            ]))
        #expect(
            found.exchanges.map { $0.exchange.request.url?.description } == [
                "http://b.test:8080/1", "http://b.test:8080/2", "tunnel://b.test:8080",
            ])
        #expect(found.exchanges.map { $0.exchange.response?.status } == [200, 200, 200])
        // When they passed is not known.
        #expect(found.exchanges.first?.exchange.annotations.tags == ["missing-time"])
        let tunnel = try #require(found.exchanges.last).exchange
        #expect(tunnel.state == .tunnel)
        #expect(tunnel.request.body.byteCount == Int64(get("/1").utf8.count * 2))
        #expect(tunnel.response?.body.byteCount == Int64(Self.answer.utf8.count * 2))
        #expect(found.problems.isEmpty)
    }

    @Test func `captured tunnels within tunnels are read only to a limited depth`() throws {
        var pieces: [(isSent: Bool, text: String)] = []
        for _ in 0..<2_000 { pieces += [(true, Self.connect), (false, Self.opened)] }
        let found = try read(index: index, followed: followed(pieces + [(true, get("/"))]))
        #expect((2...8).contains(found.exchanges.count))
        #expect(found.exchanges.allSatisfy { $0.exchange.state == .tunnel })
    }

    private func outcomes(_ found: PacketFindings) -> [String] {
        found.exchanges.map {
            let status = $0.exchange.response.map { "\($0.status)" } ?? "-"
            return "\(status) \($0.exchange.request.url?.description ?? "?")"
        }
    }

    @Test
    func `a captured CONNECT that is first refused and then accepted becomes two exchanges`()
        throws
    {
        let refusal = "HTTP/1.1 407 Who are you\r\nContent-Length: 2\r\n\r\nno"
        let found = try read(
            index: index,
            followed: followed([
                (true, Self.connect), (false, refusal), (true, Self.connect),
                (false, Self.opened), (true, get("/1")), (false, Self.answer),
            ]))
        #expect(
            outcomes(found) == [
                "407 tunnel://b.test:8080", "200 http://b.test:8080/1", "200 tunnel://b.test:8080",
            ])
        #expect(found.problems.isEmpty)
    }

    @Test func `bytes that a captured client sends before its tunnel opens belong to the tunnel`()
        throws
    {
        let found = try read(
            index: index,
            followed: followed([
                (true, Self.connect + get("/1")), (true, get("/2")),
                (false, Self.opened + Self.answer), (false, Self.answer),
            ]))
        #expect(
            outcomes(found) == [
                "200 http://b.test:8080/1", "200 http://b.test:8080/2", "200 tunnel://b.test:8080",
            ])
        let tunnel = try #require(found.exchanges.last).exchange
        #expect(tunnel.request.body.byteCount == Int64(get("/1").utf8.count * 2))
    }

    @Test func `captured requests after a refused CONNECT are read as ordinary requests`() throws {
        let refusal = "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"
        let found = try read(
            index: index,
            followed: followed([
                (true, Self.connect + "GET http://c.test/ HTTP/1.1\r\nHost: c.test\r\n\r\n"),
                (false, refusal + Self.answer),
            ]))
        #expect(outcomes(found) == ["403 tunnel://b.test:8080", "200 http://c.test/"])
    }

    @Test
    func `whether a captured CONNECT without a response succeeded is inferred from later bytes`()
        throws
    {
        let missing = "[\(Self.opened.utf8.count) bytes missing in capture file]\0"
        let found = try read(
            index: index,
            followed: followed([
                (true, Self.connect), (false, missing), (true, get("/1")), (false, Self.answer),
            ]))
        #expect(outcomes(found) == ["200 http://b.test:8080/1", "- tunnel://b.test:8080"])
        #expect(found.exchanges.last?.exchange.state == .tunnel)
        let oneSided = try read(
            index: index, followed: followed([(true, Self.connect), (true, get("/1"))]))
        #expect(outcomes(oneSided) == ["- tunnel://b.test:8080", "- http://b.test:8080/1"])
        let refused = try read(
            index: index,
            followed: followed([
                (true, Self.connect), (false, missing), (true, Self.connect),
                (false, Self.opened),
            ]))
        #expect(outcomes(refused) == ["- tunnel://b.test:8080", "200 tunnel://b.test:8080"])
    }

    @Test func `a captured tunnel of a protocol other than HTTP is imported with its byte counts`()
        throws
    {
        let found = try read(
            index: index,
            followed: followed([
                (true, "CONNECT b.test:25 HTTP/1.0\r\n\r\n"), (false, Self.opened),
                (false, "220 b.test ESMTP\r\n"), (true, "EHLO a.test\r\n"), (false, "250 ok\r\n"),
            ]))
        let tunnel = try #require(found.exchanges.first).exchange
        #expect(found.exchanges.count == 1)
        #expect(tunnel.request.url == .tunnel(host: "b.test", port: 25))
        #expect(tunnel.request.body.byteCount == 13)
        #expect(tunnel.response?.body.byteCount == 26)
    }

    private var tlsIndex: String {
        index + row("1700000000.6", true, "", "", layers: "eth:ip:tcp:http:tls")
    }

    @Test
    func `a captured tunnel with TLS but no keys is imported, and the TLS is counted as left out`()
        throws
    {
        let found = try read(
            index: tlsIndex,
            followed: followed([
                (true, Self.connect), (false, Self.opened), (true, "\u{16}\u{3}\u{1}"),
            ]))
        #expect(found.exchanges.map(\.exchange.state) == [.tunnel])
        #expect(found.exchanges.first?.exchange.request.body.byteCount == 3)
        #expect(found.leftOut == ["encrypted connection"])
    }

    @Test func `decrypted TLS in a captured tunnel is read as requests to the tunnel's server`()
        throws
    {
        let found = try read(
            index: tlsIndex
                + row("1700000000.7", true, "GET", "", layers: "eth:ip:tcp:http:tls:http")
                + row("1700000000.9", false, "", "200", layers: "eth:ip:tcp:http:tls:http"),
            followed: followed([
                (true, Self.connect), (false, Self.opened), (true, "\u{16}\u{3}\u{1}"),
            ])
                + followed([(true, get("/in")), (false, Self.answer)], layer: "tls"))
        #expect(
            found.exchanges.map { $0.exchange.request.url?.description }
                == ["tunnel://b.test:8080", "https://b.test:8080/in"])
        #expect(found.exchanges.last?.exchange.timeline[.responseLastByte] == 200_000_000)
        #expect(found.leftOut.isEmpty)
    }

    // MARK: What is not valid

    @Test func `an invalid request in a capture is imported with its bytes and its response`()
        throws
    {
        let odd = "GET /a HTTP/1.1\nHost: b.test\n\n"
        let found = try read(
            index: row("1700000000.5", true, "GET", ""),
            followed: followed([
                (true, odd), (false, Self.answer), (true, get("/2")), (false, Self.answer),
                (true, odd + odd), (false, Self.answer),
            ]))
        #expect(found.exchanges.count == 4)
        let first = try #require(found.exchanges.first)
        #expect(first.malformedHead == Array(odd.utf8))
        #expect(first.exchange.failure?.kind == .malformedRequest)
        #expect(first.exchange.failure?.origin == .client)
        #expect(first.exchange.response?.body == Body(Array("x".utf8)))
        #expect(found.exchanges[1].exchange.request.url?.pathText == "/2")
        #expect(found.exchanges[1].exchange.response?.status == 200)
        #expect(
            found.exchanges.suffix(2).map(\.malformedHead) == [Array(odd.utf8), Array(odd.utf8)])
        #expect(found.problems.isEmpty)
    }

    @Test(arguments: ["G@T /x HTTP/1.1\r\nHost: b.test\r\n\r\n", "GET /x\r\n\r\n"])
    func `consecutive invalid requests in a capture are each imported`(odd: String) throws {
        let turn = [(isSent: true, text: odd), (isSent: false, text: Self.answer)]
        let found = try read(
            index: row("1700000000.5", true, "GET", ""),
            followed: followed(turn + turn + turn + [(true, get("/2")), (false, Self.answer)]))
        #expect(found.exchanges.count == 4)
        #expect(found.exchanges.prefix(3).allSatisfy { $0.malformedHead == Array(odd.utf8) })
        #expect(found.exchanges.allSatisfy { $0.exchange.response?.status == 200 })
        #expect(found.problems.isEmpty)
    }

    @Test
    func `the server of a captured request is its first Host or else the connection's IP address`()
        throws
    {
        let found = try read(
            index: row("1700000000.5", true, "GET", ""),
            followed: followed([
                (true, "GET /1 HTTP/1.1\r\n\r\n"), (false, Self.answer),
                (true, "GET /2 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), (false, Self.answer),
                (true, "GET http:/3 HTTP/1.1\r\nHost: a\r\n\r\n"), (false, Self.answer),
            ]))
        #expect(outcomes(found) == ["200 http://127.0.0.1/1", "200 http://a/2", "200 ?"])
        #expect(found.exchanges.last?.malformedHead?.starts(with: "GET http:/3".utf8) == true)
        #expect(found.exchanges.last?.exchange.failure?.message == "the request names no server")
        #expect(found.problems.isEmpty)
    }

    @Test
    func `client and server are told apart in a capture that starts in the middle of a response`()
        throws
    {
        let part = "7\t1700000000.1\teth:ip:tcp:http\t\(Self.server)\t\t\t\n"
        let found = try read(
            index: part + row("1700000000.5", true, "GET", ""),
            followed: heading("tcp", "127.0.0.1:80")
                + hex("th: 5\r\n\r\nhello") + "\n\t" + hex(get("/1")) + "\n" + hex(Self.answer)
                + "\n" + end)
        #expect(outcomes(found) == ["200 http://b.test/1"])
    }

    @Test
    func `an invalid response in a capture fails only its own exchange, not later ones`()
        throws
    {
        let found = try read(
            index: row("1700000000.5", true, "GET", ""),
            followed: followed([
                (true, get("/1")), (false, "nonsense\r\n\r\n"), (true, get("/2")),
                (false, Self.answer),
            ]))
        #expect(found.exchanges.map(\.exchange.state) == [.failed, .complete])
        let failed = try #require(found.exchanges.first).exchange
        #expect(failed.failure?.kind == .malformedResponse)
        #expect(failed.responseFault?.refusal?.bytes.starts(with: "nonsense".utf8) == true)
    }
}
