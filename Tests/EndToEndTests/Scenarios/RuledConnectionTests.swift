import Foundation
import ProxydTestSupport
import Testing

/// Rules of connections, and of what a connection becomes.
@Suite(.timeLimit(.minutes(10)))
struct RuledConnectionTests {
    private let data: ScratchFolder

    init() throws { data = try ScratchFolder() }

    private func daemon(
        _ rules: String, trusting certificate: TestCertificate? = nil
    ) throws -> Daemon {
        try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        return try Daemon(trusting: certificate, data: data)
    }

    private func applied(_ row: Row, _ daemon: Daemon) throws -> [[String?]] {
        let applied = try daemon.show(row).object["applied_rules"] as? [[String: Any]] ?? []
        return applied.map(Row.init).map {
            [$0.text("rule"), $0.text("phase"), $0.text("outcome")]
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `each exchange over a connection that a rule redirected is recorded with that rule`(
        version: String
    ) throws {
        let certificate = try TestCertificate(names: "DNS:away.test")
        let server = try Origin(tls: certificate)
        let daemon = try daemon(
            """
            [[rule]]
            name = "away"
            when = 'host=away.test'
            connect = [{ resolve = "127.0.0.1" }, { tag = "led" }]
            [[rule]]
            name = "seen"
            response = [{ set = "header:X-Seen", value = "1" }]

            """, trusting: certificate)
        let url = "https://away.test:\(server.port)/headers"
        let codes = try daemon.curl(version, "-o", "/dev/null", "-w", "%{http_code} ", url, url)
        #expect(codes.text.contains("200"), "\(codes)")
        let rows = try daemon.rows("rule=away", count: 2)
        #expect(rows.count == 2)
        for row in rows {
            #expect(row.object["tags"] as? [String] == ["led"])
            #expect(
                try applied(row, daemon) == [
                    ["away", "connect", "changed"], ["seen", "response", "changed"],
                ])
        }
    }

    @Test func `response rules apply to the head of a 101 response but not to the data after it`()
        throws
    {
        let origin = try ScriptedOrigin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "seen"
            when = 'status=101'
            response = [
              { set = "header:X-Seen", value = "1" },
              { replace = "body", match = "a", with = "b" },
            ]
            [[rule]]
            name = "no"
            when = 'path=/no'
            response = [{ block = 403 }]

            """)
        for path in ["/chat", "/no"] {
            let client = try RawClient(port: daemon.port)
            client.send(
                "GET http://127.0.0.1:\(origin.port)\(path) HTTP/1.1\r\n"
                    + "Host: 127.0.0.1:\(origin.port)\r\n"
                    + "Connection: Upgrade\r\nUpgrade: x\r\n\r\n")
            let answer =
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
            _ = try origin.answer(Array((answer + "aa").utf8))
            let head = try client.read(until: "\r\n\r\n")
            if path == "/no" {
                #expect(head.hasPrefix("HTTP/1.1 403 "))
            } else {
                #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("\r\nX-Seen: 1\r\n"))
                #expect(try client.read(until: "aa") == "aa")
            }
        }
        let chat = try #require(try daemon.rows("path=/chat", count: 1).first)
        #expect(try applied(chat, daemon) == [["seen", "response", "changed"]])
        #expect(chat.text("upgraded_to") == "x" || chat.int("status") == 101)
        let detail = try daemon.proxyctl(["show", String(chat.int("id") ?? 0), "--json"]).text
        #expect(detail.contains("no body"))
        let refused = try daemon.row("path=/no")
        #expect(try applied(refused, daemon).last == ["no", "response", "blocked"])
    }
}
