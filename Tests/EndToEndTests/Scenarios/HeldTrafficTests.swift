import Foundation
import ProxydHTTPModel
import ProxydProxyEngine
import ProxydTestSupport
import Testing

/// What an actor does to traffic, through the daemon's own parts, real clients and real servers.
struct HeldTrafficTests {
    @Test func `a held upload reaches the server completely after it is released`() throws {
        let origin = try Origin()
        let holder = HoldingActor(.holdRequests)
        let daemon = try ActedDaemon(holder)
        let scratch = try ScratchFolder()
        let file = scratch.path + "/body"
        let body = Data((0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        try body.write(to: URL(fileURLWithPath: file))
        let curl = try daemon.curl(
            "-H", "Expect:", "--data-binary", "@\(file)", origin.url("/echo"))
        #expect(holder.waitHeld())
        holder.release()
        let report = try Row(json: try curl.readLine())
        #expect(try curl.readLine() == "200")
        #expect(report.int("body_bytes") == body.count)
        let digest = try Tool.run("sha256sum", [file]).text.prefix(64)
        #expect(report.text("body_sha256") == String(digest))
        let rows = try daemon.stopped()
        #expect(rows.map { $0.text("state") } == ["complete"])
    }

    @Test func `the proxy can respond to a request itself without contacting the server`() throws {
        let head = ResponseHead(
            status: 299, reason: "Mine", fields: HeaderFields([(name: "X-Door", value: "1")]))
        let holder = HoldingActor(.answer(ExchangeAnswer(head: head, body: Array("mine".utf8))))
        let daemon = try ActedDaemon(holder)
        let curl = try daemon.curl("http://nowhere.invalid/")
        #expect(try curl.readLine() == "mine")
        #expect(try curl.readLine() == "299")
        #expect(try daemon.stopped().map { $0.int("status") } == [299])
    }

    @Test func `a request and its response can be replaced; both versions of each are stored`()
        throws
    {
        let origin = try Origin()
        let holder = HoldingActor(
            .replace(
                path: "/bytes/16", requestBody: "longer than it was", status: 418,
                responseBody: "tea"))
        let daemon = try ActedDaemon(holder)
        let curl = try daemon.curl("--data-binary", "short", origin.url("/status/500"))
        #expect(try curl.readLine() == "tea")
        #expect(try curl.readLine() == "418")
        let sent = try daemon.recorded(
            """
            SELECT (SELECT CAST(octets AS TEXT) FROM head WHERE part = 4) AS request,
              (SELECT CAST(octets AS TEXT) FROM head WHERE part = 5) AS response,
              group_concat(part || ' ' || CAST(octets AS TEXT), '|') AS bodies
            FROM (SELECT part, octets FROM body_chunk ORDER BY part)
            """)
        #expect(sent.first?.text("request")?.hasPrefix("POST /bytes/16 HTTP/1.1\r\n") == true)
        #expect(sent.first?.text("response")?.hasPrefix("HTTP/1.1 418 ") == true)
        let bodies = sent.first?.text("bodies")?.split(separator: "|").map(String.init) ?? []
        #expect(bodies.first == "0 short")
        #expect(bodies.contains("2 longer than it was") && bodies.contains("3 tea"))
    }

    @Test func `a delayed request still reaches its server`() throws {
        let origin = try Origin()
        let daemon = try ActedDaemon(HoldingActor(.delayRequests(ns: 50_000_000)))
        let curl = try daemon.curl(origin.url("/bytes/4"))
        #expect(try curl.readLine() == "0123")
        #expect(try curl.readLine() == "200")
    }

    @Test
    func `an exchange fails without a status if the client disconnects while its request is held`()
        throws
    {
        let origin = try Origin()
        let holder = HoldingActor(.holdRequests)
        let daemon = try ActedDaemon(holder)
        let client = try daemon.get(origin.url("/bytes/4"))
        #expect(holder.waitHeld())
        client.close()
        #expect(holder.waitEnded())
        holder.release()
        let rows = try daemon.stopped()
        #expect(rows.map { $0.text("state") } == ["failed"])
        #expect(rows.first?.isNull("status") == true)
    }

    @Test func `the client gets a 502 if the server disconnects while its response is held`() throws
    {
        let origin = try Origin()
        let holder = HoldingActor(.holdResponses)
        let daemon = try ActedDaemon(holder)
        let curl = try daemon.curl("-o", "/dev/null", origin.url("/short"))
        #expect(holder.waitHeld() && holder.waitEnded())
        #expect(try curl.readLine() == "")
        #expect(try curl.readLine() == "502")
        #expect(try daemon.stopped().map { $0.text("state") } == ["failed"])
    }

    @Test func `requests that are held when proxyd stops are forwarded and completed`() throws {
        let origin = try Origin()
        let holder = HoldingActor(.holdRequests)
        let daemon = try ActedDaemon(holder)
        let clients = try (0..<200).map { _ in try daemon.get(origin.url("/bytes/4")) }
        #expect(holder.waitHeld(clients.count))
        try daemon.stop()
        for client in clients {
            #expect(client.readToEnd()?.hasSuffix("\r\n\r\n0123") == true)
        }
        let rows = try daemon.stopped()
        #expect(rows.count { $0.text("state") == "complete" } == clients.count)
    }
}
