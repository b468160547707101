import ProxydAgents
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Arguments as agents write them, right and wrong.
struct ArgumentTests {
    private static func rig() throws -> AgentRig {
        try AgentRig {
            try $0.store([
                .sample(1, "/a", type: "application/json", body: #"{"a":[1,{"b":null}],"c":"x"}"#),
                .sample(2, "/b", body: String(repeating: "é", count: 5_000)),
                .sample(3, "/c", type: "image/png", body: "\u{89}PNG"),
            ])
        }
    }

    private let rig: AgentRig

    init() throws { rig = try ArgumentTests.rig() }

    @Test(arguments: [
        ("list_exchanges", #"{"limit":0}"#, "limit"),
        ("list_exchanges", #"{"limit":1.5}"#, "limit"),
        ("list_exchanges", #"{"limit":"many"}"#, "limit"),
        ("list_exchanges", #"{"limit":[1]}"#, "limit"),
        ("list_exchanges", #"{"limit":1e300}"#, "limit"),
        ("list_exchanges", #"{"filter":5}"#, "filter"),
        ("list_exchanges", #"{"filter":"status>"}"#, "column"),
        ("list_exchanges", #"{"nothing":1}"#, "there is no argument nothing"),
        ("read_body", "{}", "the argument id is missing"),
        ("read_body", #"{"id":null}"#, "the argument id is missing"),
        ("read_body", #"{"id":0}"#, "id must be a whole number from 1"),
        ("read_body", #"{"id":-1}"#, "id must be a whole number from 1"),
        ("read_body", #"{"id":true}"#, "id must be a whole number from 1"),
        ("read_body", #"{"id":"x"}"#, "id must be a whole number from 1"),
        ("read_body", #"{"id":1,"side":"both"}"#, "side must be one of: request, response"),
        ("read_body", #"{"id":1,"offset":-1}"#, "offset must be a whole number from 0"),
        ("read_body", #"{"id":1,"length":0}"#, "length must be a whole number from 1 to 32768"),
        ("read_body", #"{"id":1,"length":40000}"#, "length must be a whole number from 1 to 32768"),
        ("read_body", #"{"id":1,"json_path":"a["}"#, "json_path is not a path"),
        ("read_body", #"{"id":1,"json_path":"none"}"#, "the body has no value at none"),
        ("read_body", #"{"id":2,"json_path":"a"}"#, "the body is not JSON"),
        ("read_body", #"{"id":1,"grep":""}"#, "grep must have 1 to 200 bytes"),
    ])
    func `the error for an invalid MCP tool argument names the argument or describes the mistake`(
        tool: String, arguments: String, words: String
    ) throws {
        let problem = try rig.problem(tool, arguments)
        #expect(problem.contains(words), "\(problem)")
    }

    @Test(arguments: [
        #"{"limit":"2"}"#, #"{"limit":2.0}"#, #"{"limit":2,"filter":null}"#,
        #"{"limit":2,"filter":""}"#,
    ])
    func `MCP tools accept numbers written as strings, and null for optional arguments`(
        arguments: String
    )
        throws
    {
        let answer = try rig.call("list_exchanges", arguments)
        #expect(answer["exchanges"]?.elements.count == 2)
    }

    @Test(arguments: [#"1"#, #""1""#, "1.0"])
    func `MCP tools accept an exchange ID as a number or as a string`(id: String) throws {
        let answer = try rig.call("read_body", #"{"id":\#(id),"json_path":"a[1].b"}"#)
        #expect(answer["value"] == nil || answer["value"] == .null)
        #expect(answer["id"] == .string("1"))
    }

    @Test(arguments: [
        ("a", #"[1,{"b":null}]"#), ("a[0]", "1"), ("a[1]", #"{"b":null}"#), ("c", #""x""#),
    ])
    func `the argument json_path makes the MCP tool read_body return the value at that path`(
        path: String, json: String
    ) throws {
        let answer = try rig.call("read_body", #"{"id":1,"json_path":"\#(path)"}"#)
        #expect(try answer["value"] == JSONReader().read(Array(json.utf8)))
    }

    @Test func `the MCP tool read_body returns a body in pieces without splitting a character`()
        throws
    {
        var (text, offset, pieces) = ("", Int64(0), 0)
        while true {
            let arguments = #"{"id":2,"length":1001,"offset":\#(offset)}"#
            let piece = try rig.call("read_body", arguments)
            text += piece["text"]?.text ?? ""
            pieces += 1
            guard let next = piece["next_offset"]?.integer, next > offset else { break }
            offset = next
        }
        #expect(text == String(repeating: "é", count: 5_000))
        #expect(pieces >= 10)
    }

    @Test(arguments: [10_000, 10_001, Int.max])
    func `the MCP tool read_body beyond the end of a body returns no text and a null next_offset`(
        offset: Int
    ) throws {
        let piece = try rig.call("read_body", #"{"id":2,"offset":\#(offset)}"#)
        #expect(piece.members.filter { $0.name == "next_offset" }.map(\.value) == [.null])
        let text = piece["text"]?.text ?? ""
        #expect(text.isEmpty)
    }

    @Test func `grep in the MCP tool read_body finds up to 50 matches at a time, ignoring case`()
        throws
    {
        let body = (0..<80).map { "item \($0)" + String(repeating: ".", count: 400) }.joined()
        let rig = try AgentRig { try $0.store([.sample(1, "/", body: body)]) }
        let found = try rig.call("read_body", #"{"id":1,"grep":"ITEM"}"#)
        #expect(found["matches"]?.elements.count == 50)
        #expect(found["more"]?.bool == true)
        let next = try #require(found["next_offset"]?.integer)
        let rest = try rig.call("read_body", #"{"id":1,"grep":"ITEM","offset":\#(next)}"#)
        #expect(rest["matches"]?.elements.count == 30)
        #expect(rest["next_offset"] == nil)
        let one = try rig.call("read_body", #"{"id":1,"grep":"item 79"}"#)
        #expect(one["matches"]?.elements.count == 1)
        #expect(one["more"]?.bool == false)
        let at = try #require(one["matches"]?.elements.first?["at"]?.integer)
        #expect(Array(body.utf8)[Int(at)...].starts(with: "item 79".utf8))
        let none = try rig.call("read_body", #"{"id":1,"grep":"item 80"}"#)
        #expect(none["matches"]?.elements.isEmpty == true)
    }

    @Test func `every MCP tool describes its arguments in a schema and rejects unknown arguments`()
        throws
    {
        let answer = try rig.answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        let tools = answer?["result"]?["tools"]?.elements ?? []
        #expect(tools.count > 5)
        for tool in tools {
            let name = tool["name"]?.text ?? ""
            let schema = try #require(tool["inputSchema"])
            #expect(schema["type"]?.text == "object", "\(name)")
            #expect(schema["additionalProperties"]?.bool == false, "\(name)")
            let properties = schema["properties"]?.members.map(\.name) ?? []
            let required = schema["required"]?.elements.compactMap(\.text) ?? []
            #expect(Set(required).isSubset(of: properties), "\(name)")
            #expect(Set(properties).count == properties.count, "\(name)")
            for property in schema["properties"]?.members ?? [] {
                #expect(property.value["type"] != nil, "\(name).\(property.name)")
                #expect(property.value["description"]?.text?.isEmpty == false, "\(name)")
            }
            // An argument that no tool has is refused before anything is done.
            let problem = try rig.problem(name, #"{"no_such_argument":1}"#)
            #expect(problem.contains("there is no argument no_such_argument"), "\(name)")
        }
    }

    @Test func `an MCP tool that is called without a required argument names the missing argument`()
        throws
    {
        let answer = try rig.answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        for tool in answer?["result"]?["tools"]?.elements ?? [] {
            let required = tool["inputSchema"]?["required"]?.elements.compactMap(\.text) ?? []
            guard let first = required.first, let name = tool["name"]?.text else { continue }
            #expect(
                try rig.problem(name, "{}") == "the argument \(first) is missing", "\(name)")
        }
    }

    @Test func `an MCP tool argument that is given twice is accepted`() throws {
        let answer = try rig.call("list_exchanges", #"{"limit":1,"limit":2}"#)
        #expect((1...2).contains(answer["exchanges"]?.elements.count ?? 0))
    }

    @Test
    func `with a central store, the MCP tool read_body accepts exchange IDs with a store name`()
        throws
    {
        let rig = try AgentRig(
            fill: { try $0.store([.sample(1, "/a", body: "hello")]) }, storeName: "ci-1")
        let rows = try rig.call("list_exchanges")["exchanges"]?.elements ?? []
        let id = try #require(rows.first?["id"]?.text)
        #expect(id == "ci-1:1")
        #expect(try rig.call("read_body", #"{"id":"\#(id)"}"#)["text"]?.text == "hello")
        #expect(try rig.problem("read_body", #"{"id":"ci-2:1"}"#) != "no problem")
        #expect(try rig.problem("read_body", #"{"id":"ci-1:0"}"#) != "no problem")
    }
}
