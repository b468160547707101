import Foundation
import ProxydHTTPModel
@testable import proxyctl
import Testing

@Suite struct ShowCommandTests {
    private func shown(_ id: String, _ store: SampleStore) throws -> [String: Any] {
        let run = store.run("show", id, "--json")
        #expect(run.code == 0)
        #expect(run.lines.count == 1)
        return try #require(try store.objects(run).first)
    }

    @Test
    func `proxyctl show --json prints list --json's fields plus request, response and timeline`()
        throws
    {
        let store = try SampleStore()
        let object = try shown("1", store)
        let names =
            ListCommandTests.fields + [
                "applied_rules", "listener", "mode", "upstream", "original_address",
                "proxy_protocol_peer", "client_certificate", "upgraded_to", "request", "response",
                "timeline", "http2",
            ]
        #expect(Set(object.keys) == Set(names))
        let request = try #require(object["request"] as? [String: Any])
        #expect(
            Set(request.keys) == [
                "headers", "trailers", "body_bytes", "body_kept_bytes", "body_truncated",
                "body_text", "body_problem",
                "body_base64", "query", "form", "multipart", "json", "sent",
            ])
        let response = try #require(object["response"] as? [String: Any])
        #expect(
            Set(response.keys) == [
                "headers", "trailers", "body_bytes", "body_kept_bytes", "body_truncated",
                "body_text", "body_problem",
                "body_base64", "json", "sent", "refused", "repaired",
            ])
        #expect(response["refused"] is NSNull)
        #expect(response["repaired"] as? [String] == [])
    }

    @Test(arguments: [
        ["show"], ["messages"], ["replay"], ["rule", "map"], ["mark", "--pin"],
    ])
    func `proxyctl show, messages, replay, rule map and mark reject another store's IDs`(
        command: [String]
    ) throws {
        let store = try SampleStore()
        let run = CommandRun(["--data-dir", store.directoryPath] + command + ["ci-17:1"])
        #expect(run.code == 1)
        #expect(run.errors.contains("there is no exchange ci-17:1"), "\(run.errors)")
    }

    private static var broken: [Exchange] {
        var refused = SampleExchange.exchange(
            .get, RawURL(scheme: "http", host: "a.test", port: 80, origin: Array("/".utf8)), [],
            body: [],
            response: SampleExchange.response(502, [("Content-Length", "2")], [0x6E, 0x6F]),
            state: .failed)
        refused.failure = ExchangeFailure(
            origin: .upstream, kind: .malformedResponse, message: "a NUL")
        var cut = refused
        refused.responseFault = ResponseFault(
            refusal: .init(
                bytes: Array("HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\u{1B}[2J".utf8), reason: "a NUL"))
        cut.response = SampleExchange.response(
            200, [("Content-Length", "1000")], Array("7 bytes".utf8))
        cut.failure = ExchangeFailure(origin: .upstream, kind: .closedEarly, message: "closed")
        cut.responseFault = ResponseFault(repairs: ["a folded field line was joined"])
        var alone = refused
        alone.response = nil
        return [refused, cut, alone]
    }

    @Test func `proxyctl show says if a response was rejected, repaired or incomplete`() throws {
        let store = try SampleStore(Self.broken)
        let refused = store.run("show", "1").output
        #expect(refused.contains("\n  refused: a NUL\n"))
        #expect(refused.contains("HTTP/1.1 200 OK"))
        #expect(!refused.contains("bytes came"))
        let cut = store.run("show", "2").output
        #expect(cut.contains("\n  7 of 1000 bytes arrived: the server closed\n"))
        #expect(cut.contains("\n  repaired: a folded field line was joined\n"))
        #expect(store.run("show", "3", "--part", "response").output.contains("refused: a NUL"))
    }

    @Test func `proxyctl show --json contains the bytes of a rejected response and the reason`()
        throws
    {
        let store = try SampleStore(Self.broken)
        for id in ["1", "3"] {
            let response = try #require(try shown(id, store)["response"] as? [String: Any])
            let refused = try #require(response["refused"] as? [String: String])
            #expect(refused["reason"] == "a NUL")
            let bytes = try #require(Data(base64Encoded: refused["bytes_base64"] ?? ""))
            #expect(bytes.starts(with: Data("HTTP/1.1 200 OK\r\nX: a\u{0}b".utf8)))
        }
        let response = try #require(try shown("2", store)["response"] as? [String: Any])
        #expect(response["refused"] is NSNull)
        #expect(response["repaired"] as? [String] == ["a folded field line was joined"])
        #expect(try store.objects(store.run("list", "--json", "refused:nul")).count == 2)
    }

    @Test func `proxyctl show --json decodes queries: a plus is a space, a missing value is null`()
        throws
    {
        let request = try #require(
            try shown("1", SampleStore())["request"] as? [String: Any])
        let query = try #require(request["query"] as? [[Any]])
        #expect(query.map { $0[0] as? String } == ["q", "tags[]", "tags[]", "flag"])
        #expect(query[0][1] as? String == "café noir")
        #expect(query[3][1] is NSNull)
        #expect(request["form"] is NSNull)
        #expect((request["headers"] as? [[String]])?.first == ["Host", "host.test"])
    }

    @Test func `proxyctl show --json decodes the fields of a URL-encoded form`() throws {
        let request = try #require(
            try shown("2", SampleStore())["request"] as? [String: Any])
        #expect(request["form"] as? [[String]] == [["user", "alice"], ["token", "x+y"]])
        #expect(request["body_text"] as? String == "user=alice&token=x%2By")
        #expect(request["body_base64"] is NSNull)
        #expect(request["body_bytes"] as? Int == 22)
        #expect(request["body_truncated"] as? Bool == false)
    }

    @Test
    func `proxyctl show --json lists multipart parts with their name, file name, type and size`()
        throws
    {
        let request = try #require(
            try shown("3", SampleStore())["request"] as? [String: Any])
        let parts = try #require(request["multipart"] as? [[String: Any]])
        #expect(parts.map { $0["name"] as? String } == ["text", "file"])
        #expect(parts.map { $0["bytes"] as? Int } == [5, 8])
        #expect(parts[0]["filename"] is NSNull)
        #expect(parts[1]["filename"] as? String == "a.bin")
        #expect(parts[1]["content_type"] as? String == "application/octet-stream")
    }

    @Test
    func `proxyctl show --json contains the original messages and the versions changed by rules`()
        throws
    {
        let object = try shown("1", SampleStore([SampleExchange.ruled]))
        #expect(object["rules"] as? [String] == ["staging", "slow"])
        let applied = try #require(object["applied_rules"] as? [[String: Any]])
        #expect(applied.map { $0["outcome"] as? String } == ["changed", "delayed", "changed"])
        #expect(applied.map { $0["phase"] as? String } == ["request", "response", "response"])
        #expect(applied[1]["detail"] as? String == "200 ms")
        #expect(applied[0]["detail"] is NSNull)
        let request = try #require(object["request"] as? [String: Any])
        let sent = try #require(request["sent"] as? [String: Any])
        #expect(sent["start_line"] as? String == "POST /login HTTP/1.1")
        #expect(
            sent["headers"] as? [[String]]
                == [["Host", "staging.test"], ["Content-Length", "8"]])
        #expect(sent["body_bytes"] as? Int == 8)
        #expect(sent["body_text"] as? String == "user=bob")
        #expect(sent["body_base64"] is NSNull)
        #expect(request["body_text"] as? String == "user=alice&token=x%2By")
        let response = try #require(object["response"] as? [String: Any])
        let got = try #require(response["sent"] as? [String: Any])
        #expect(got["start_line"] as? String == "HTTP/1.1 418 Teapot")
        #expect(got["headers"] as? [[String]] == [["X-New", "1"]])
        #expect(got["body_base64"] as? String == "iVD/" && got["body_text"] is NSNull)
    }

    @Test
    func `if rules changed only the body, show --json repeats the original head as the sent head`()
        throws
    {
        var exchange = SampleExchange.ruled
        exchange.request.sentHead = nil
        exchange.response?.sentHead = nil
        exchange.request.sentBody = Body()
        let object = try shown("1", SampleStore([exchange]))
        let request = try #require(object["request"] as? [String: Any])
        let sent = try #require(request["sent"] as? [String: Any])
        #expect(sent["start_line"] as? String == "POST /login HTTP/1.1")
        #expect((sent["headers"] as? [[String]])?.first == ["Host", "host.test"])
        #expect(sent["body_bytes"] as? Int == 0)
        #expect(sent["body_text"] as? String == "")
        let untouched = try shown("1", SampleStore())
        #expect((untouched["request"] as? [String: Any])?["sent"] is NSNull)
        #expect((untouched["response"] as? [String: Any])?["sent"] is NSNull)
        #expect((untouched["applied_rules"] as? [Any])?.isEmpty == true)
    }

    @Test func `proxyctl show lists applied rules and, for changed messages, the versions sent`()
        throws
    {
        var exchange = SampleExchange.ruled
        exchange.response?.sentBody = Body()
        let store = try SampleStore([exchange])
        let lines = store.run("show", "1").lines
        let index = try #require(lines.firstIndex(of: "rules"))
        #expect(
            lines[(index + 1)...(index + 3)].map { $0.split(separator: " ").joined(separator: " ") }
                == [
                    "staging request changed", "slow response delayed 200 ms",
                    "staging response changed",
                ])
        let output = store.run("show", "1").output
        for text in [
            "  sent to the server instead\n    POST /login HTTP/1.1\n    Host: staging.test",
            "  sent to the client instead\n    HTTP/1.1 418 Teapot\n    X-New: 1",
            "bob", "  sent to the client instead\n    no body",
        ] {
            #expect(output.contains(text), "\(text)")
        }
        #expect(!(try SampleStore().run("show", "2").lines.contains("rules")))
    }

    @Test func `proxyctl show --json embeds a JSON body with its numbers as they were written`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("show", "1", "--json")
        #expect(run.output.contains(#""json":{"n":1.50,"list":[true,null],"s":"é"}"#))
    }

    @Test func `proxyctl show --json prints a binary body as Base64`() throws {
        let response = try #require(
            try shown("3", SampleStore())["response"] as? [String: Any])
        #expect(response["body_text"] is NSNull)
        #expect(response["body_base64"] as? String == "iVBORw0KAP8=")
    }

    @Test
    func `proxyctl show prints a gzip body decompressed; show --body prints the compressed bytes`()
        throws
    {
        // "hello hello hello" by gzip without a name or a time.
        let gzip = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA=="))
        let exchange = SampleExchange.exchange(
            .get, SampleExchange.url("gz.test", "/"),
            response: SampleExchange.response(
                200, [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")],
                [UInt8](gzip)))
        let store = try SampleStore([exchange])
        let response = try #require(try shown("1", store)["response"] as? [String: Any])
        #expect(response["body_text"] as? String == "hello hello hello")
        #expect(response["body_bytes"] as? Int == gzip.count)
        #expect(store.run("show", "1", "--body").bytes == [UInt8](gzip))
        let report = store.run("show", "1").output
        #expect(report.contains("gzip"))
        #expect(report.contains("hello hello hello"))
    }

    @Test func `proxyctl show reports that a recorded body is truncated`() throws {
        let response = Response(
            head: ResponseHead(
                status: 200, reason: "OK",
                fields: HeaderFields([("Content-Type", "text/plain")])),
            body: Body(byteCount: 1_000, kept: Array("caf\u{e9}".utf8.dropLast())))
        let store = try SampleStore([
            SampleExchange.exchange(
                .get, SampleExchange.url("t.test", "/"), response: response)
        ])
        let object = try #require(try shown("1", store)["response"] as? [String: Any])
        #expect(object["body_truncated"] as? Bool == true)
        #expect(object["body_bytes"] as? Int == 1_000)
        #expect(object["body_kept_bytes"] as? Int == 4)
        #expect(object["body_text"] as? String == "caf")
        #expect(store.run("show", "1").output.contains("truncated"))
    }

    @Test
    func `proxyctl show reports bytes after an upgrade as relayed, not as a truncated body`()
        throws
    {
        var socket = SampleExchange.exchange(
            .get, SampleExchange.url("s.test", "/chat"), [("Upgrade", "websocket")],
            response: Response(
                head: ResponseHead(
                    status: 101, reason: "Switching Protocols", fields: HeaderFields()),
                body: Body(byteCount: 2_000, kept: [])))
        socket.request.body = Body(byteCount: 1_000, kept: [])
        socket.upgradedTo = "websocket"
        let store = try SampleStore([socket, SampleExchange.tunnel])
        for id in ["1", "2"] {
            let output = store.run("show", id).output
            #expect(!output.contains("truncated") && !output.contains("  body"))
        }
        let output = store.run("show", "1").output
        #expect(output.contains("  relayed  1 kB\n") && output.contains("  relayed  2 kB\n"))
        #expect(try shown("1", store)["upgraded_to"] as? String == "websocket")
        #expect(try shown("2", store)["upgraded_to"] is NSNull)
    }

    @Test
    func `proxyctl show --json prints the phases and durations of the timeline in milliseconds`()
        throws
    {
        let timeline = try #require(
            try shown("1", SampleStore())["timeline"] as? [String: Any])
        let expected: [String: Double] = [
            "dns_ms": 1, "connect_ms": 2, "send_ms": 0.1, "wait_ms": 30, "receive_ms": 1.7,
            "latency_ms": 33.3, "request_duration_ms": 35, "serialization_duration_ms": 0.123,
            "total_duration_ms": 35.123,
        ]
        for (name, value) in expected { #expect(timeline[name] as? Double == value, "\(name)") }
        #expect(timeline["tls_ms"] is NSNull)
        #expect(timeline["connection_reused"] as? Bool == false)
        #expect(timeline["started_at"] as? String == "2025-11-20T10:00:00.123Z")
    }

    @Test
    func `for a malformed request, proxyctl show --json prints a null response and no headers`()
        throws
    {
        let object = try shown("4", SampleStore())
        #expect(object["response"] is NSNull)
        let request = try #require(object["request"] as? [String: Any])
        #expect((request["headers"] as? [Any])?.isEmpty == true)
    }

    @Test
    func `proxyctl show --raw and --body print the exact recorded bytes of one message or both`()
        throws
    {
        let store = try SampleStore()
        let hostile = SampleExchange.hostile
        let request = try #require(hostile.request.head).bytes + hostile.request.body.kept
        let response = try #require(hostile.response)
        let answer = response.head.bytes + response.body.kept
        #expect(store.run("show", "5", "--raw").bytes == request + answer)
        #expect(store.run("show", "5", "--raw", "--part", "request").bytes == request)
        #expect(store.run("show", "5", "--raw", "--part", "response").bytes == answer)
        #expect(store.run("show", "5", "--body").bytes == response.body.kept)
        #expect(
            store.run("show", "2", "--body", "--part", "request").bytes
                == Array("user=alice&token=x%2By".utf8))
    }

    @Test
    func `proxyctl show prints an exchange's headers, decoded parameters, bodies and timeline`()
        throws
    {
        let store = try SampleStore()
        let search = store.run("show", "1").output
        for text in [
            "GET http://host.test/search", "200 Fine", "curl, pid 77", "192.0.2.1:80", "café noir",
            "Host: host.test", "\"list\": [", "timeline", "connect", "30 ms",
        ] {
            #expect(search.contains(text), "\(text)")
        }
        let login = store.run("show", "2").output
        for text in ["alice", "x+y", "the login", "auth, slow", "Set-Cookie: a=1"] {
            #expect(login.contains(text), "\(text)")
        }
        #expect(store.run("show", "3").output.contains("89 50 4e 47"))
        #expect(store.run("show", "4").output.contains("a field name has a space"))
    }

    @Test func `proxyctl show --part prints only the request or only the response`() throws {
        let store = try SampleStore()
        #expect(!store.run("show", "2", "--part", "request").output.contains("Set-Cookie"))
        #expect(!store.run("show", "2", "--part", "response").output.contains("alice"))
        #expect(store.run("show", "4", "--part", "response").code == 1)
        let part = store.run("show", "2", "--json", "--part", "response")
        #expect(try store.objects(part).first?["body_bytes"] as? Int == 0)
    }

    @Test
    func `on a terminal, proxyctl show wraps lines to the terminal width instead of cutting them`()
        throws
    {
        let store = try SampleStore()
        for id in 1...6 {
            let run = store.run(
                "show", "\(id)", columns: 50, environment: ["NO_COLOR": "1"])
            #expect(run.lines.allSatisfy { $0.count <= 50 })
            #expect(!run.output.contains("…"))
        }
    }

    @Test
    func `proxyctl show exits with 1 for an unknown exchange and with 64 for invalid options`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("show", "99")
        #expect(run.code == 1)
        #expect(run.errors == "proxyctl: there is no exchange 99\n")
        #expect(store.run("show", "1", "--raw", "--json").code == 64)
        #expect(store.run("show", "x").code == 64)
        #expect(store.run("show", "1", "--part", "middle").code == 64)
    }

    // MARK: Decoded bodies

    /// `Grüße` in ISO 8859-1, in gzip.
    private static let greeting: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x73, 0x2F, 0xFA, 0x73, 0x3F,
        0x95, 0x0B, 0x00, 0x36, 0x85, 0xB7, 0x92, 0x06, 0x00, 0x00, 0x00,
    ]

    private func greetingStore(_ body: [UInt8] = greeting, coding: String = "gzip") throws
        -> SampleStore
    {
        let fields = [
            ("Content-Type", "text/plain; charset=iso-8859-1"), ("Content-Encoding", coding),
        ].map { (name: $0.0, value: $0.1) }
        return try SampleStore([
            SampleExchange.exchange(
                .post, SampleExchange.url("a.test", "/"), fields, body: body,
                response: SampleExchange.response(200, fields, body))
        ])
    }

    @Test func `proxyctl show --decoded undoes the content coding; --text also converts to UTF-8`()
        throws
    {
        let store = try greetingStore()
        let latin = Array("Gr".utf8) + [0xFC, 0xDF] + Array("e\n".utf8)
        for part in [[], ["--part", "request"], ["--part", "response"]] {
            for body in [[], ["--body"]] {
                func run(_ flag: String) -> CommandRun {
                    CommandRun(
                        ["--data-dir", store.directoryPath, "show", "1", flag] + body + part)
                }
                #expect(run("--body").bytes == Self.greeting)
                #expect(run("--decoded").bytes == latin)
                #expect(run("--text").bytes == Array("Grüße\n".utf8))
                #expect(run("--text").code == 0)
            }
        }
    }

    @Test func `proxyctl show --decoded prints a body without content coding unchanged`() throws {
        let store = try SampleStore()
        #expect(
            store.run("show", "3", "--decoded").bytes == store.run("show", "3", "--body").bytes)
        #expect(store.run("show", "2", "--decoded").bytes.isEmpty)
        #expect(store.run("show", "2", "--decoded").code == 0)
    }

    @Test(arguments: ["rot13", "gzip"])
    func `proxyctl show prints a body as is, with a note, if its coding is unknown or wrong`(
        coding: String
    ) throws {
        let store = try greetingStore(Array("plain text\n".utf8), coding: coding)
        let decoded = store.run("show", "1", "--decoded")
        #expect(decoded.output == "plain text\n")
        #expect(decoded.code == 0)
        #expect(decoded.errors.hasSuffix("the bytes are as they came\n"))
        let shown = store.run("show", "1", "--part", "response").output
        #expect(shown.contains("\n    plain text\n"))
        #expect(shown.contains("the bytes are as they came"))
        let response = try #require(try self.shown("1", store)["response"] as? [String: Any])
        #expect(response["body_text"] as? String == "plain text\n")
        #expect((response["body_problem"] as? String)?.hasSuffix("as they came") == true)
    }

    @Test
    func `proxyctl show --decoded and --text fail with a reason if the body cannot be decoded`()
        throws
    {
        var damaged = Self.greeting
        damaged[20] ^= 0xFF
        let run = try greetingStore(damaged, coding: "gzip").run("show", "1", "--decoded")
        #expect(run.code == 1)
        #expect(run.errors.hasPrefix("proxyctl: the body could not be decoded completely: "))
        let image = try SampleStore().run("show", "3", "--text")
        #expect(image.code == 1)
        #expect(image.bytes.isEmpty)
        #expect(image.errors.contains("--decoded"))
        let none = try SampleStore().run("show", "4", "--decoded")
        #expect(none.code == 1)
        #expect(none.errors == "proxyctl: exchange 4 has no response\n")
    }

    @Test func `proxyctl show --decoded and --text print no escape characters to a terminal`()
        throws
    {
        let fields = [(name: "Content-Type", value: "text/plain")]
        let store = try SampleStore([
            SampleExchange.exchange(
                .get, SampleExchange.url("a.test", "/"),
                response: SampleExchange.response(
                    200, fields, Array("line\u{1B}[31m red\nsecond\u{7}".utf8)))
        ])
        for flag in ["--decoded", "--text"] {
            let run = store.run("show", "1", flag, columns: 80)
            #expect(run.code == 0)
            #expect(run.output.contains("second") && !run.output.contains("\u{1B}"))
        }
        #expect(store.run("show", "1", "--decoded", "--json").code == 64)
        #expect(store.run("show", "1", "--text", "--raw").code == 64)
    }
}
