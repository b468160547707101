import Foundation
import ProxydAgents
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Every tool describes its results, and its real results are as described.
struct ResultSchemaTests {
    private static let modern =
        #","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#
        + #""io.modelcontextprotocol/clientCapabilities":{}}"#

    private static let rules = """
        [[rule]]
        name = "never"
        when = 'host=nowhere.test'
        request = [{ block = 403 }]
        [[rule]]
        name = "all"
        response = [{ set = "header:X", value = "1" }]
        """

    private let exports: ScratchFolder

    init() throws { exports = try ScratchFolder() }

    /// A server that permits everything.
    private func rig(
        showsSecrets: Bool, storeName: String? = nil, _ more: [Exchange] = []
    ) throws -> AgentRig {
        var policy = AgentPolicy()
        policy.allowsSQL = true
        policy.allowsAnnotations = true
        policy.showsSecrets = showsSecrets
        policy.exportDirectory = exports.path
        policy.allowsReplay = { _, _ in true }
        var actions = RememberedActions().actions
        actions.ruleEditing = TextRuleEditing(text: ResultSchemaTests.rules)
        return try AgentRig(
            policy: policy, actions: actions,
            fill: {
                try CanarySamples.record($0)
                try $0.store(more)
            },
            sql: { _, onColumns, onRow in
                onColumns(["n", "text"])
                _ = onRow([.integer(7), .string("a")])
                _ = onRow([.null, .array([.bool(true)])])
            }, storeName: storeName)
    }

    /// Calls of every tool, with every kind of result.
    private static func calls(_ ids: [String]) -> [(tool: String, arguments: String)] {
        var calls = [
            ("list_exchanges", "{}"), ("list_exchanges", #"{"limit":1}"#),
            ("list_exchanges", #"{"filter":"host=nowhere"}"#), ("count_exchanges", "{}"),
            ("summarize_exchanges", "{}"), ("summarize_exchanges", #"{"filter":"id=0"}"#),
            ("summarize_exchanges", #"{"by":"path"}"#),
            ("summarize_exchanges", #"{"by":"path","server":"http://api.test:80"}"#),
            ("list_rules", "{}"), ("test_rule", "{}"),
            ("explain_filter", #"{"filter":"host:a status=200"}"#),
            ("query_sql", #"{"statement":"SELECT 1"}"#), ("export_exchanges", "{}"),
        ]
        for id in ids {
            calls += [
                ("show_exchange", #"{"id":"\#(id)"}"#), ("list_messages", #"{"id":"\#(id)"}"#),
                ("list_messages", #"{"id":"\#(id)","position":0}"#),
                ("diff_exchanges", #"{"left":"\#(id)","right":"\#(ids[0])"}"#),
                ("test_rule", #"{"explain":"\#(id)"}"#),
                ("annotate_exchange", #"{"id":"\#(id)","tags":["a"]}"#),
                ("replay_exchange", #"{"id":"\#(id)"}"#),
            ]
            for side in ["request", "response"] {
                calls += [
                    ("read_body", #"{"id":"\#(id)","side":"\#(side)"}"#),
                    ("read_body", #"{"id":"\#(id)","side":"\#(side)","length":1}"#),
                    ("read_body", #"{"id":"\#(id)","side":"\#(side)","json_path":""}"#),
                    ("read_body", #"{"id":"\#(id)","side":"\#(side)","grep":"a"}"#),
                ]
            }
        }
        return calls
    }

    /// The schemas of the results by the tool's name.
    private func schemas(_ rig: AgentRig, meta: String) throws -> [String: JSONValue] {
        let answer = try rig.answer(
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":1\#(meta)}}"#)
        var schemas: [String: JSONValue] = [:]
        for tool in answer?["result"]?["tools"]?.elements ?? [] {
            let name = tool["name"]?.text ?? ""
            schemas[name] = try #require(tool["outputSchema"], "\(name)")
        }
        return schemas
    }

    /// Checks the results of calls that succeed; returns the tools that did.
    /// - Parameter store: Stands before the numbers of exchanges.
    private func check(
        _ rig: AgentRig, _ ids: ClosedRange<Int>, store: String = "", meta: String
    ) throws -> Set<String> {
        let schemas = try schemas(rig, meta: meta)
        var tools: Set<String> = []
        for (tool, arguments) in ResultSchemaTests.calls(ids.map { "\(store)\($0)" }) {
            let answer = try rig.answer(
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","#
                    + #""arguments":\#(arguments)\#(meta)}}"#)
            guard answer?["result"]?["isError"]?.bool == false else { continue }
            let value = try #require(answer?["result"]?["structuredContent"])
            let problems = Schema.problems(value, try #require(schemas[tool]), at: tool)
            #expect(problems == [], "\(tool) \(arguments)")
            #expect(ResultSchemaTests.numericIDs(value) == [], "\(tool) \(arguments)")
            tools.insert(tool)
        }
        #expect(tools == Set(schemas.keys))
        return tools
    }

    /// Members that name an exchange with a number.
    private static func numericIDs(_ value: JSONValue) -> [String] {
        value.elements.flatMap(numericIDs)
            + value.members.flatMap { member in
                let isID = ["id", "replay_of", "first", "last"].contains(member.name)
                return (isID && member.value.integer != nil ? [member.name] : [])
                    + numericIDs(member.value)
            }
    }

    @Test(arguments: [true, false], ["", modern])
    func `the results of every MCP tool match its output schema and have exchange IDs as strings`(
        showsSecrets: Bool, meta: String
    ) throws {
        #expect(try check(rig(showsSecrets: showsSecrets), 1...9, meta: meta).count == 14)
    }

    @Test func `in a central store, the results of every MCP tool satisfy its output schema`()
        throws
    {
        _ = try check(
            rig(showsSecrets: false, storeName: "ci-17"), 1...9, store: "ci-17:", meta: "")
    }

    @Test func `shortened MCP tool results still satisfy the output schema`() throws {
        let long = String(repeating: "é\u{1}", count: 20_000)
        let wide =
            "["
            + Array(repeating: #"{"a":[1,2,[3]],"b":"x"}"#, count: 9_000).joined(
                separator: ",") + "]"
        var heads = Exchange.sample(10)
        heads.request.head = RequestHead(
            method: "GET", target: Array("/".utf8),
            fields: HeaderFields((0..<2_000).map { ("X-\($0)", String(repeating: "v", count: 90)) })
        )
        let nested = (0..<12).reduce("1") { value, _ in
            "{" + (0..<3).map { #""k\#($0)":\#(value)"# }.joined(separator: ",") + "}"
        }
        let more = [
            heads, Exchange.sample(11, body: long),
            .sample(12, type: "application/json", body: wide),
            .sample(13, type: "application/json", body: nested),
        ]
        _ = try check(rig(showsSecrets: true, more), 10...13, meta: "")
    }

    @Test(arguments: [
        ("list_exchanges", "{}", "next"), ("list_messages", #"{"id":9}"#, "next"),
        ("read_body", #"{"id":6}"#, "next_offset"),
        ("read_body", #"{"id":6,"grep":"zzz"}"#, "next_offset"),
        ("read_body", #"{"id":2,"json_path":"list"}"#, "next_offset"),
        ("list_messages", #"{"id":9,"position":0}"#, "next_offset"),
    ])
    func `if nothing follows, next and next_offset in MCP tool results are null, not missing`(
        tool: String, arguments: String, name: String
    ) throws {
        let result = try rig(showsSecrets: true).call(tool, arguments)
        #expect(result.members.filter { $0.name == name }.map(\.value) == [.null])
    }

    @Test func `the MCP tool list_exchanges returns the position of the next page as a string`()
        throws
    {
        let rig = try rig(showsSecrets: true)
        #expect(try rig.call("list_exchanges", #"{"limit":2}"#)["next"]?.text == "8")
        let next = try rig.call("list_exchanges", #"{"limit":2,"before":"8"}"#)
        #expect(next["exchanges"]?.elements.map { $0["id"]?.text } == ["7", "6"])
    }

    @Test
    func `the output schema of MCP list_exchanges requires string IDs and a next member`()
        throws
    {
        let schemas = try schemas(rig(showsSecrets: false), meta: "")
        let list = try #require(schemas["list_exchanges"])
        let row = JSONValue.members([("id", .integer(1))])
        let value = JSONValue.members([
            ("exchanges", .array([row])), ("untrusted", .bool(true)), ("origin", .string("")),
        ])
        #expect(
            Schema.problems(value, list, at: "") == [".exchanges[].id: string", ".next: missing"])
    }
}

/// Checks values against the part of JSON Schema that tools use.
private enum Schema {
    static func problems(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        if let choices = schema["anyOf"]?.elements {
            let found = choices.map { problems(value, $0, at: place) }
            return found.contains([]) ? [] : found.first ?? []
        }
        guard let type = schema["type"]?.text else { return [] }
        guard isOf(type, value) else { return ["\(place): \(type)"] }
        if let choices = schema["enum"]?.elements, !choices.contains(value) {
            return ["\(place): \(value) is none of the choices"]
        }
        if let items = schema["items"] {
            return value.elements.flatMap { problems($0, items, at: place + "[]") }
        }
        guard let properties = schema["properties"] else { return [] }
        let present = value.members.flatMap { member in
            properties[member.name].map {
                problems(member.value, $0, at: "\(place).\(member.name)")
            } ?? ["\(place).\(member.name): unknown"]
        }
        let missing = (schema["required"]?.elements ?? []).compactMap(\.text).filter {
            name in !value.members.contains { $0.name == name }
        }
        return present + missing.map { "\(place).\($0): missing" }
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("string", .string), ("boolean", .bool), ("array", .array), ("object", .object),
            ("null", .null), ("number", .number):
            true
        case ("integer", .number(let digits)): Int64(digits) != nil
        default: false
        }
    }
}
