import Capture
import ProxydAgents
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// What the tools answer.
struct ToolTests {
    private static func rig(_ exchanges: [Exchange]) throws -> AgentRig {
        try AgentRig { try $0.store(exchanges) }
    }

    private static func ids(_ answer: JSONValue) -> [Int64] {
        answer["exchanges"]?.elements.compactMap { $0["id"]?.text.flatMap(Int64.init) } ?? []
    }

    // MARK: Lists

    @Test func `an MCP tool call makes the daemon commit the recorded exchanges to the store`()
        throws
    {
        let rig = try AgentRig()
        _ = try rig.tools()
        #expect(rig.commits.count == 0)
        _ = try rig.call("list_exchanges")
        #expect(rig.commits.count == 1)
    }

    @Test func `the MCP tool list_exchanges returns all exchanges in pages, newest first`() throws {
        let rig = try ToolTests.rig((1...7).map { .sample($0, "/\($0)") })
        var (seen, arguments) = ([Int64](), #"{"limit":3}"#)
        while true {
            let page = try rig.call("list_exchanges", arguments)
            seen += ToolTests.ids(page)
            guard let next = page["next"]?.text else { break }
            arguments = #"{"limit":3,"before":\#(next)}"#
        }
        #expect(seen == [7, 6, 5, 4, 3, 2, 1])
    }

    @Test
    func `if rows are long, the MCP tool list_exchanges returns smaller pages and omits no row`()
        throws
    {
        let long = String(repeating: "x", count: 4_000)
        let rig = try ToolTests.rig((1...120).map { .sample($0, "/\($0)?q=\(long)") })
        var (seen, arguments, pages) = ([Int64](), #"{"limit":200}"#, 0)
        while true {
            let page = try rig.call("list_exchanges", arguments)
            #expect(page["shortened"] == nil)
            seen += ToolTests.ids(page)
            pages += 1
            guard let next = page["next"]?.text else { break }
            arguments = #"{"limit":200,"before":\#(next)}"#
        }
        #expect(seen == (1...120).reversed())
        #expect(pages > 1)
    }

    @Test
    func `MCP list_exchanges omits no rows between pages even if redaction makes them longer`()
        throws
    {
        let type = "text/plain; " + String(repeating: "sid=1;", count: 60)
        let rig = try ToolTests.rig((1...150).map { .sample($0, type: type) })
        var (seen, arguments) = ([Int64](), #"{"limit":200}"#)
        while true {
            let page = try rig.call("list_exchanges", arguments)
            seen += ToolTests.ids(page)
            guard let next = page["next"]?.text else { break }
            arguments = #"{"limit":200,"before":\#(next)}"#
        }
        #expect(seen == (1...150).reversed())
    }

    @Test(arguments: ["\"", "\u{1}", "\u{202E}", "token=1 "])
    func `the MCP tool read_body returns a body without gaps even if escaping makes it longer`(
        unit: String
    ) throws {
        var policy = AgentPolicy()
        policy.showsSecrets = true
        let body = String(repeating: unit, count: 20_000)
        let rig = try AgentRig(policy: policy) { try $0.store([.sample(1, body: body)]) }
        var (byteCount, offset): (Int64, Int64?) = (0, 0)
        while let start = offset {
            let piece = try rig.call("read_body", #"{"id":1,"offset":\#(start),"length":32768}"#)
            #expect(piece["shortened"] == nil)
            #expect(piece["offset"]?.integer == byteCount)
            offset = piece["next_offset"]?.integer
            byteCount = offset ?? piece["bytes"]?.integer ?? 0
        }
        #expect(byteCount == Int64(body.utf8.count))
    }

    @Test
    func `the MCP tool read_body returns JSON numbers as strings if clients cannot hold them`()
        throws
    {
        let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let digits = String(repeating: "7", count: 5_000)
        let rig = try ToolTests.rig([
            .sample(
                1, type: "application/json",
                body: #"{"deep":\#(deep),"long":\#(digits),"huge":1e999,"big":9007199254740993,"#
                    + #""plain":-1.5}"#)
        ])
        func value(_ path: String) throws -> JSONValue? {
            try rig.call("read_body", #"{"id":1,"json_path":"\#(path)"}"#)["value"]
        }
        #expect(try value("long")?.text?.hasPrefix("777") == true)
        #expect(try value("huge")?.text == "1e999")
        #expect(try value("big")?.text == "9007199254740993")
        #expect(try value("plain") == .number("-1.5"))
        var (level, depth) = (try value("deep"), 0)
        while let next = level?.elements.first { (level, depth) = (next, depth + 1) }
        #expect(depth < 64)
    }

    @Test func `for a central store, MCP tools use exchange IDs with the store name`() throws {
        let rig = try AgentRig(
            fill: { try $0.store([.sample(1), .sample(2)]) }, storeName: "ci-17")
        let rows = try rig.call("list_exchanges")["exchanges"]?.elements ?? []
        #expect(rows.map { $0["id"] } == [.string("ci-17:2"), .string("ci-17:1")])
        let shown = try rig.call("show_exchange", #"{"id":"ci-17:2"}"#)
        #expect(shown["id"] == .string("ci-17:2"))
        #expect(try rig.call("read_body", #"{"id":"ci-17:2"}"#)["id"] == .string("ci-17:2"))
        let slowest = try rig.call("summarize_exchanges")["slowest"]?.elements ?? []
        #expect(slowest.allSatisfy { $0["id"]?.text?.hasPrefix("ci-17:") == true })
        #expect(
            try rig.problem("show_exchange", #"{"id":"ci-18:2"}"#)
                == "there is no exchange ci-18:2")
        #expect(
            try rig.problem("show_exchange", #"{"id":"ci-17:9"}"#)
                == "there is no exchange ci-17:9")
        #expect(try rig.problem("show_exchange", #"{"id":2}"#) == "there is no exchange 2")
    }

    @Test func `MCP tools apply filters and report the column of an error in an invalid filter`()
        throws
    {
        let rig = try ToolTests.rig([.sample(1), .sample(2, status: 500), .sample(3, status: 502)])
        let failed = try rig.call("list_exchanges", #"{"filter":"status>=500"}"#)
        #expect(ToolTests.ids(failed) == [3, 2])
        #expect(try rig.call("count_exchanges", #"{"filter":"status=502"}"#)["count"]?.integer == 1)
        let problem = try rig.problem("count_exchanges", #"{"filter":"path:a status>>5"}"#)
        #expect(problem.hasPrefix("filter: column 15:"))
    }

    @Test func `the MCP tool summarize_exchanges returns exchange counts, overall or by path`()
        throws
    {
        let rig = try ToolTests.rig([.sample(1, "/a/b"), .sample(2, "/a/c", status: 404)])
        let summary = try rig.call("summarize_exchanges")
        #expect(summary["count"]?.integer == 2)
        #expect(summary["errors"]?.integer == 1)
        let folder = try rig.call(
            "summarize_exchanges",
            #"{"by":"path","server":"http://api.test:80","folder":"/a/"}"#)
        #expect(folder["total"]?["count"]?.integer == 2)
        let problem = try rig.problem("summarize_exchanges", #"{"by":"path","server":"x"}"#)
        #expect(problem.contains("SCHEME://HOST:PORT"))
    }

    @Test(
        arguments: [
            ("list_exchanges", #"{"limt":3}"#, "there is no argument limt"),
            ("list_exchanges", #"{"limit":0}"#, "limit must be a whole number from 1 to 200"),
            ("list_exchanges", #"{"limit":"many"}"#, "limit must be"),
            ("list_exchanges", #"{"filter":7}"#, "filter must be a string"),
            ("show_exchange", "{}", "the argument id is missing"),
            ("show_exchange", #"{"id":"x"}"#, "id must be a whole number from 1"),
            ("show_exchange", #"{"id":0}"#, "id must be a whole number from 1"),
            ("show_exchange", #"{"id":"ci-17:1"}"#, "there is no exchange ci-17:1"),
            ("show_exchange", #"{"id":99}"#, "there is no exchange 99"),
            ("show_exchange", #"{"id":1,"parts":["body"]}"#, "parts must be an array"),
            ("summarize_exchanges", #"{"by":"colour"}"#, "by must be one of: overview, path"),
            ("read_body", #"{"id":1,"side":"middle"}"#, "side must be one of"),
            ("read_body", #"{"id":1,"json_path":"a..b"}"#, "json_path is not a path"),
            ("read_body", #"{"id":1,"grep":""}"#, "grep must have 1 to 200 bytes"),
        ])
    func `an error from an MCP tool names the argument that is wrong, missing or unknown`(
        tool: String, arguments: String, start: String
    ) throws {
        let rig = try ToolTests.rig([.sample(1)])
        #expect(try rig.problem(tool, arguments).hasPrefix(start))
    }

    @Test func `the MCP tool list_exchanges accepts null arguments and numbers in strings`() throws
    {
        let rig = try ToolTests.rig([.sample(1), .sample(2)])
        let page = try rig.call("list_exchanges", #"{"limit":"1","filter":null,"before":null}"#)
        #expect(ToolTests.ids(page) == [2])
    }

    // MARK: One exchange

    @Test func `the MCP tool show_exchange returns the heads, parameters, bodies and timeline`()
        throws
    {
        let rig = try ToolTests.rig([
            .sample(
                1, "/find?q=tea", method: "POST", type: "application/json",
                body: #"{"a":1}"#, requestType: "application/x-www-form-urlencoded",
                requestBody: "x=1&y=2")
        ])
        let answer = try rig.call("show_exchange", #"{"id":1}"#)
        #expect(answer["overview"]?["status"]?.integer == 200)
        #expect(answer["request"]?["start_line"]?.text == "POST /find?q=tea HTTP/1.1")
        #expect(answer["request"]?["query"] == .pairs([("q", "tea")]))
        #expect(answer["request"]?["form"] == .pairs([("x", "1"), ("y", "2")]))
        #expect(answer["response"]?["body"]?["text"]?.text == #"{"a":1}"#)
        #expect(answer["timeline"]?["total_duration_ms"] != nil)
        #expect(answer["untrusted"]?.bool == true)
        #expect(answer["origin"]?.text == "exchange 1 with api.test")
        let part = try rig.call("show_exchange", #"{"id":1,"parts":["response"]}"#)
        #expect(part["request"] == nil)
        #expect(part["overview"] == nil)
        #expect(part["response"] != nil)
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1_000])
    func `bodies read with the MCP tool read_body in pieces of any length are complete`(
        length: Int
    ) throws {
        let body = String(repeating: "aé☕🫖\n", count: 40)
        let rig = try ToolTests.rig([.sample(1, body: body)])
        var (text, offset): (String, Int64?) = ("", 0)
        while let start = offset {
            let piece = try rig.call(
                "read_body", #"{"id":1,"offset":\#(start),"length":\#(length)}"#)
            text += piece["text"]?.text ?? ""
            // The subscript gives nil for null, too.
            let next = piece.members.first { $0.name == "next_offset" }?.value
            offset = next?.integer
            try #require(next == .null || (offset ?? 0) > start)
        }
        #expect(text == body)
    }

    @Test func `the MCP tool read_body returns a binary body as Base64`() throws {
        var policy = AgentPolicy()
        policy.showsSecrets = true
        let bytes: [UInt8] = [0, 255, 1, 2, 200]
        var exchange = Exchange.sample(1, type: "application/octet-stream")
        exchange.response?.body = Body(bytes)
        let rig = try AgentRig(policy: policy) { [exchange] in try $0.store([exchange]) }
        let piece = try rig.call("read_body", #"{"id":1,"offset":1,"length":3}"#)
        #expect(piece["base64"]?.bytes == [255, 1, 2])
        #expect(piece["next_offset"]?.integer == 4)
    }

    @Test
    func `MCP read_body returns a body undecoded and says why if its Content-Encoding is wrong`()
        throws
    {
        var exchange = Exchange.sample(1, type: "application/json", body: #"{"a":1}"#)
        var response = try #require(exchange.response)
        var fields = response.head.fields
        fields.append(name: "Content-Encoding", value: "gzip")
        response.head = response.head.changed(fields: fields)
        exchange.response = response
        let rig = try ToolTests.rig([exchange])
        let piece = try rig.call("read_body", #"{"id":1}"#)
        #expect(piece["text"]?.text == #"{"a":1}"#)
        #expect(
            piece["body_problem"]?.text == "the content is not gzip: the bytes are as they came")
        #expect(
            try rig.call("read_body", #"{"id":1,"json_path":"a"}"#)["value"] == .integer(1))
    }

    @Test
    func `the MCP tool read_body shows a message of a gRPC-Web body with one line per field`()
        throws
    {
        var policy = AgentPolicy()
        policy.showsSecrets = true
        var exchange = Exchange.sample(1, type: "application/grpc-web-text")
        exchange.response?.body = Body(Array("AAAAAAMIlgE=".utf8))
        let rig = try AgentRig(policy: policy) { [exchange] in try $0.store([exchange]) }
        #expect(
            try rig.call("read_body", #"{"id":1}"#)["text"]?.text == "message  3 B\n  1: 150")
    }

    @Test
    func `the MCP tool list_messages shows gRPC messages by name if something describes them`()
        throws
    {
        func rig(_ isDescribed: Bool) throws -> AgentRig {
            try AgentRig { recorder in
                recorder.record(Greeter.call(ExchangeID(rawValue: 1)))
                guard isDescribed else { return }
                let file = ProtoFile(name: "greeter.proto", source: .given, bytes: Greeter.file)
                try recorder.wait { recorder.addProtoFiles([file], completion: $0) }
            }
        }
        let without = try rig(false).call("list_messages", #"{"id":1}"#)["messages"]?.elements
        #expect(without?.first?["left_out"] != nil)
        let described = try rig(true)
        let messages = try described.call("list_messages", #"{"id":1}"#)["messages"]?.elements
        #expect(messages?.count == 2)
        #expect(messages?.first?["left_out"] == nil)
        #expect(messages?.first?["kind"]?.text == "grpc")
        #expect(messages?.first?["json"]?["name"]?.text == "Ada")
        #expect(messages?.first?["type"]?.text == "demo.HelloRequest")
        let one = try described.call("list_messages", #"{"id":1,"position":0}"#)
        #expect(one["text"]?.text?.contains("\"Ada\"") == true)
    }

    @Test
    func `json_path in the MCP tool read_body selects a JSON value; a missing one is an error`()
        throws
    {
        let rig = try ToolTests.rig([
            .sample(1, type: "application/json", body: #"{"items":[{"n":1},{"n":[true]}]}"#),
            .sample(2),
        ])
        let value = try rig.call("read_body", #"{"id":1,"json_path":"items[1].n"}"#)["value"]
        #expect(value == .array([.bool(true)]))
        #expect(
            try rig.problem("read_body", #"{"id":1,"json_path":"items[7]"}"#)
                == "the body has no value at items[7]")
        #expect(
            try rig.problem("read_body", #"{"id":2,"json_path":"a"}"#) == "the body is not JSON")
    }

    @Test func `grep in the MCP tool read_body finds every occurrence of a text, ignoring case`()
        throws
    {
        let filler = String(repeating: ".", count: 1_000)
        let rig = try ToolTests.rig([.sample(1, body: "Tea\(filler)é TEA\(filler)tea")])
        let answer = try rig.call("read_body", #"{"id":1,"grep":"tea"}"#)
        let matches = answer["matches"]?.elements ?? []
        #expect(matches.compactMap { $0["at"]?.integer } == [0, 1_006, 2_009])
        #expect(matches.allSatisfy { $0["text"]?.text?.lowercased().contains("tea") == true })
        #expect(answer["more"]?.bool == false)
    }

    @Test func `the MCP tool diff_exchanges compares two exchanges line by line`() throws {
        let rig = try ToolTests.rig([
            .sample(1, type: "application/json", body: #"{"a":1,"b":2}"#),
            .sample(2, type: "application/json", body: #"{"a":1,"b":3}"#),
        ])
        let answer = try rig.call("diff_exchanges", #"{"left":1,"right":2}"#)
        #expect(answer["equal"]?.bool == false)
        let lines = answer["sections"]?.elements[1]["lines"]?.elements.compactMap(\.text) ?? []
        #expect(lines.contains(#"-   "b": 2"#))
        #expect(lines.contains(#"+   "b": 3"#))
        #expect(
            try rig.call("diff_exchanges", #"{"left":1,"right":1}"#)["equal"]?.bool == true)
    }

    // MARK: Filters, resources and prompts

    @Test func `the MCP tool explain_filter returns the conditions of a filter`() throws {
        let rig = try ToolTests.rig([])
        let answer = try rig.call("explain_filter", #"{"filter":"host=a status>=500"}"#)
        #expect(
            answer["conditions"]?.elements.compactMap { $0["field"]?.text } == ["host", "status"])
        #expect(answer["untrusted"] == nil)
    }

    private static func text(_ rig: AgentRig, _ uri: String) throws -> String? {
        let answer = try rig.answer(
            #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\#(uri)"}}"#)
        return answer?["result"]?["contents"]?.elements.first?["text"]?.text
    }

    @Test
    func `without SQL permission, MCP resources offer the manual and exchanges, not the schema`()
        throws
    {
        let rig = try ToolTests.rig([.sample(1)])
        #expect(try ToolTests.text(rig, "proxyd://filter-language")?.contains("status") == true)
        let exchange = try #require(try ToolTests.text(rig, "proxyd://exchange/1"))
        #expect(try JSONReader().read(Array(exchange.utf8))["untrusted"]?.bool == true)
        #expect(try ToolTests.text(rig, "proxyd://exchange/2") == nil)
        #expect(try ToolTests.text(rig, "proxyd://schema") == nil)
    }

    @Test func `an MCP prompt contains the arguments it was given, and a missing one is reported`()
        throws
    {
        let rig = try ToolTests.rig([])
        let answer = try rig.answer(
            #"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":"#
                + #"{"name":"write_client_for","arguments":{"host":"api.test"}}}"#)
        let message = answer?["result"]?["messages"]?.elements.first
        #expect(message?["content"]?["text"]?.text?.contains("api.test") == true)
        let missing = try rig.answer(
            #"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":"#
                + #"{"name":"write_client_for"}}"#)
        #expect(missing?["error"]?["message"]?.text == "the argument host is missing")
    }

    @Test func `the example filters given to MCP clients are valid`() throws {
        let rig = try ToolTests.rig([])
        for filter in [
            "host=api.test method=POST status>=500 time>-1h", "host=api.test status>=500",
            "status>=400", "error:\\\"\\\"", "id>=7", "time>-1h",
        ] {
            _ = try rig.call("explain_filter", #"{"filter":"\#(filter)"}"#)
        }
    }
}
