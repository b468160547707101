import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// What is peculiar to the HAR of some programs.
struct HARQuirkTests {
    private func imported(_ entry: String) throws -> ImportedExchange {
        let entries = try InterchangeReader.entries(
            of: Array(#"{"log":{"entries":[\#(entry)]}}"#.utf8))
        #expect(entries.count == 1)
        return try #require(entries.first).get()
    }

    private func entry(
        url: String = "http://a.test/", headers: String = "", response: String = "null",
        more: String = ""
    ) -> String {
        #"""
        {"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"GET","url":"\#(url)",
        "headers":[\#(headers)]},"response":\#(response)\#(more)}
        """#
    }

    @Test func `the HAR importer accepts Insomnia's empty headers and URLs without a scheme`()
        throws
    {
        let empty = try imported(
            entry(
                url: "localhost:3000/a?b=c", headers: #"{"name":"","value":""}"#,
                response: #"{"status":200,"content":{"text":""}}"#))
        #expect(empty.exchange.request.url?.description == "http://localhost:3000/a?b=c")
        #expect(empty.exchange.request.head?.fields.pairs.map(\.name) == ["Host"])
        #expect(
            try imported(entry(url: "a.test/p")).exchange.request.url?.description
                == "http://a.test/p")
        for other in ["data:image/png;base64,aa.b", "about:blank", "{{ base }}/x", "mailto:a@b.c"] {
            let entries = try InterchangeReader.entries(
                of: Array(#"{"log":{"entries":[\#(entry(url: other))]}}"#.utf8))
            #expect((try? entries.first?.get()) == nil, "\(other)")
        }
    }

    @Test
    func `the HAR importer reads Chrome's WebSocket error as an invalid message with its reason`()
        throws
    {
        let socket = try imported(
            entry(
                url: "wss://a.test/", response: #"{"status":101}"#,
                more: #"""
                    ,"_webSocketMessages":[
                    {"type":"send","time":1704067201,"opcode":1,"data":"hi"},
                    {"type":"error","time":1704067202,"opcode":-1,"data":"net::ERR"}]
                    """#))
        #expect(socket.messages.map(\.kind) == [.text, .invalid])
        #expect(socket.messages[1].problem == "net::ERR")
        #expect(socket.messages[1].offsetNs == 2_000_000_000)
    }

    @Test
    func `a HAR WebSocket with an unreadable message is imported and tagged missing-messages`()
        throws
    {
        let socket = entry(
            more: #","_webSocketMessages":[{"type":"send"},{},{"type":"receive","data":"a"}]"#)
        let entries = try InterchangeReader.entries(
            of: Array(#"{"log":{"entries":[\#(socket)]}}"#.utf8))
        let read = try #require(entries.compactMap { try? $0.get() }.first)
        #expect(read.messages.map(\.direction) == [.toServer, .toClient])
        #expect(read.messages.map(\.position) == [0, 1])
        #expect(read.exchange.annotations.tags == ["rebuilt-head", "missing-messages"])
    }

    @Test(arguments: [
        ("192.0.2.1:8080", "192.0.2.1:80"), ("a.test/192.0.2.1", "192.0.2.1:80"),
        ("2001:db8::1", "[2001:db8::1]:80"), ("[::1]", "[::1]:80"),
    ])
    func `the HAR importer accepts server addresses with ports or names, as Safari and Charles do`(
        written: String, read: String
    ) throws {
        let exchange = try imported(entry(more: #","serverIPAddress":"\#(written)""#)).exchange
        #expect(exchange.server?.peerAddress == read)
    }

    @Test func `the HAR importer tags rebuilt heads, decoded bodies and missing bodies`() throws {
        let plain = try imported(entry(response: #"{"status":204}"#)).exchange
        #expect(plain.annotations.tags == ["rebuilt-head"])
        let decoded = try imported(
            entry(
                response: #"""
                    {"status":200,"headers":[{"name":"Content-Encoding","value":"br"}],
                    "content":{"text":"a"}}
                    """#)
        ).exchange
        #expect(decoded.annotations.tags == ["rebuilt-head", "decoded-body"])
        let missing = try imported(
            entry(response: #"{"status":200,"content":{"size":7},"bodySize":9}"#)
        ).exchange
        #expect(missing.annotations.tags == ["rebuilt-head", "missing-body"])
        #expect(missing.response?.body == Body(byteCount: 9, kept: []))
    }
}
