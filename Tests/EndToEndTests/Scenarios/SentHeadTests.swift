import Foundation
import Testing

/// What went to the server where that is another request than the one that came.
struct SentHeadTests {
    private func send(_ proxy: Daemon, _ origin: ReplayOrigin, _ lines: String) throws -> String {
        let client = try RawClient(port: proxy.port)
        client.send("GET \(lines)\r\n\r\n")
        _ = try client.read(until: "\r\n\r\n")
        return try origin.nextRequest()
    }

    private func shown(_ proxy: Daemon, _ id: Int) throws -> [String: Any] {
        let text = try proxy.proxyctl(["show", String(id), "--json"]).output
        let object = try JSONSerialization.jsonObject(with: text) as? [String: Any]
        return try #require(object?["request"] as? [String: Any])
    }

    @Test
    func `if the proxy replaced Host, the new value is shown, and an exact replay sends it again`()
        throws
    {
        let (proxy, origin) = (try Daemon(), try ReplayOrigin())
        let sent = try send(
            proxy, origin, "http://\(origin.authority)/p#f HTTP/1.1\r\nHost: other.test\r\nX: y")
        #expect(sent == "GET /p HTTP/1.1\r\nHost: \(origin.authority)\r\nX: y\r\n\r\n")
        let row = try proxy.row()
        #expect(row.text("url") == "http://\(origin.authority)/p")
        let member = try #require(try shown(proxy, 1)["sent"] as? [String: Any])
        #expect(member["start_line"] as? String == "GET /p HTTP/1.1")
        #expect(member["authority"] as? String == origin.authority)
        #expect(member["headers"] as? [[String]] == [["Host", origin.authority], ["X", "y"]])
        #expect(member["body_bytes"] as? Int == 0)
        let text = try proxy.proxyctl(["show", "1"]).text
        #expect(text.contains("sent to the server instead\n    GET /p HTTP/1.1\n"), "\(text)")
        #expect(text.contains("/p#f HTTP/1.1"))
        #expect(try proxy.proxyctl(["replay", "1", "--exact"]).status == 0)
        #expect(try origin.nextRequest() == sent)
    }

    @Test func `with keep_host, the client's Host is forwarded and replayed unchanged`() throws {
        let proxy = try Daemon(configuration: "[forwarding]\nkeep_host = true\n")
        let origin = try ReplayOrigin()
        let sent = try send(
            proxy, origin, "http://\(origin.authority)/p HTTP/1.1\r\nHost: other.test")
        #expect(sent == "GET /p HTTP/1.1\r\nHost: other.test\r\n\r\n")
        _ = try proxy.row()
        #expect(try shown(proxy, 1)["sent"] is NSNull)
        #expect(try proxy.proxyctl(["replay", "1", "--exact"]).status == 0)
        #expect(try origin.nextRequest() == sent)
    }

    /// `é` as a terminal types it, and as Latin-1 has it.
    @Test(arguments: [([0xC3, 0xA9] as [UInt8], "é"), ([0xE9], "%E9")])
    func `non-ASCII bytes in a path are forwarded unchanged, found by a filter and replayed`(
        bytes: [UInt8], shown: String
    ) throws {
        let (proxy, origin) = (try Daemon(), try ReplayOrigin())
        let client = try RawClient(port: proxy.port)
        client.send(
            Array("GET http://\(origin.authority)/caf".utf8) + bytes
                + Array(" HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n".utf8))
        _ = try client.read(until: "\r\n\r\n")
        let sent = try origin.nextRequest()
        let typed = bytes.map { String(Unicode.Scalar($0)) }.joined()
        #expect(sent.hasPrefix("GET /caf\(typed) HTTP/1.1\r\n"))
        let row = try proxy.row("path:caf\(shown)")
        #expect(row.text("url") == "http://\(origin.authority)/caf\(shown)")
        #expect(row.text("host") == "127.0.0.1")
        #expect(try proxy.proxyctl(["replay", "1", "--exact"]).status == 0)
        #expect(try origin.nextRequest() == sent)
    }
}
