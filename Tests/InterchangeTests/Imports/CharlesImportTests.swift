import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// JSON sessions of Charles.
struct CharlesImportTests {
    private func transaction(_ more: String = "", status: String = "COMPLETE") -> String {
        #"""
        {"status":"\#(status)","method":"PUT","protocolVersion":"HTTP/1.1","scheme":"https",
        "host":"a.test","port":8443,"path":"/p","query":"q=%C3%A9","keptAlive":false,
        "remoteAddress":"a.test/192.0.2.7","clientAddress":"127.0.0.1",
        "times":{"start":"2026-11-23T01:00:00.000Z","requestBegin":"2026-11-23T01:00:00.010Z",
        "requestComplete":"2026-11-23T01:00:00.012Z","responseBegin":"2026-11-23T01:00:00.090Z",
        "end":"2026-11-23T01:00:00.097Z"},"durations":{"dns":3,"connect":12,"ssl":null},
        "request":{"sizes":{"body":2},"header":{"headers":[{"name":"Host","value":"a.test:8443"}]},
        "body":{"text":"hi"}},
        "response":{"status":404,"sizes":{"body":9},"header":{"firstLine":"HTTP/1.1 404 Not Here",
        "headers":[{"name":"Content-Encoding","value":"gzip"},
        {"name":"Content-Length","value":"9"}]},
        "body":{"encoding":"base64","encoded":"aGVsbG8="}}\#(more)}
        """#
    }

    private func entries(_ text: String) throws -> [InterchangeReader.WholeEntry] {
        try InterchangeReader.entries(of: Array(text.utf8))
    }

    @Test
    func `a Charles transaction is imported with its times, tagged rebuilt-head and decoded-body`()
        throws
    {
        let exchange = try #require(try entries("[\(transaction())]").first).get().exchange
        #expect(exchange.request.url?.description == "https://a.test:8443/p?q=%C3%A9")
        #expect(exchange.request.body == Body(Array("hi".utf8)))
        let response = try #require(exchange.response)
        #expect(response.head.statusLineText == "HTTP/1.1 404 Not Here")
        // The body is decoded, so its coding and length are not those of the transfer.
        #expect(response.head.fields["Content-Encoding"] == nil)
        #expect(response.head.fields["Content-Length"] == "5")
        #expect(response.body == Body(Array("hello".utf8)))
        #expect(exchange.annotations.tags == ["rebuilt-head", "decoded-body"])
        #expect(exchange.server?.peerAddress == "192.0.2.7:8443")
        #expect(exchange.client?.peerAddress == "127.0.0.1")
        #expect(exchange.timeline.wallStart == 1_795_395_600_000_000_000)
        #expect(exchange.timeline.dns == 3_000_000)
        #expect(exchange.timeline.connect == 12_000_000)
        #expect(exchange.timeline.tls == nil)
        #expect(exchange.timeline[.responseLastByte] == 97_000_000)
    }

    @Test
    func `the Charles importer marks failures and WebSockets and tags missing bodies and times`()
        throws
    {
        let failed = try #require(
            try entries(
                "[\(transaction(#","response":null,"errorMessage":"no route""#, status: "FAILED"))]"
                    .replacing(#""response":{"status":404"#, with: #""old":{"status":404"#)
            ).first
        ).get().exchange
        #expect(failed.state == .failed)
        #expect(failed.failure?.message == "no route")
        let socket = try #require(
            try entries(
                "[\(transaction(#","webSocket":true"#))]"
                    .replacing(
                        #""body":{"encoding":"base64","encoded":"aGVsbG8="}"#, with: #""x":1"#)
            ).first
        ).get().exchange
        #expect(socket.upgradedTo == "websocket")
        #expect(socket.response?.body == Body(byteCount: 9, kept: []))
        #expect(
            socket.annotations.tags == ["rebuilt-head", "missing-body", "missing-messages"])
        let timeless = try #require(
            try entries("[\(transaction().replacing("\"times\"", with: "\"other\""))]").first
        ).get().exchange
        #expect(timeless.timeline.wallStart == 0)
        #expect(timeless.annotations.tags.contains("missing-time"))
    }

    @Test
    func `the Charles importer ignores the times of a transaction if they are centuries apart`()
        throws
    {
        let text = transaction()
            .replacing("2026-11-23T01:00:00.000Z", with: "1700-01-01T00:00:00.000Z")
            .replacing("2026-11-23T01:00:00.010Z", with: "2250-01-01T00:00:00.000Z")
        let exchange = try #require(try entries("[\(text)]").first).get().exchange
        #expect(exchange.timeline[.requestFirstByte] == nil)
    }

    @Test func `the transactions before the damaged part of a Charles file are imported`() throws {
        let file = "[\(transaction()),\(transaction())]"
        for count in [1, 2, 100] {
            let cut = String(file.dropLast(count))
            let entries = try entries(cut)
            let expected = count == 1 ? 3 : 2
            #expect(entries.count == expected)
            guard case .failure(let problem)? = entries.last else {
                Issue.record("the end is not told")
                return
            }
            #expect(problem.isDamage)
            #expect(problem.description == "entry \(expected): the file ends too early")
        }
        let odd = try entries("[1, \(transaction()), {}]")
        #expect(odd.count == 3)
        #expect((try? odd[1].get()) != nil)
        #expect(try entries("[]").isEmpty)
    }

    @Test func `a binary Charles session is rejected with a hint about the JSON format`() throws {
        guard
            case .failure(let problem)? = try InterchangeReader.entries(of: [0xAC, 0xED, 0, 5])
                .first
        else {
            Issue.record("it is read")
            return
        }
        #expect(problem.message.contains(".chlsj"))
    }

    @Test(.enabled(if: ImportVectors.folder != nil, "no ../shared/vectors beside the repository"))
    func `a sample session of Charles is imported`() throws {
        let entries = try InterchangeReader.entries(of: try ImportVectors.bytes("tiny.chlsj"))
        let exchange = try #require(entries.first).get().exchange
        #expect(exchange.request.url?.description == "https://api.test/login?q=caf%C3%A9")
        #expect(exchange.response?.body.kept == [0x89, 0x50, 0x4E, 0x47])
        #expect(exchange.timeline.tls == 30_000_000)
    }
}
