import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydParameterCoding
import Testing

@testable import ProxydAgents

/// The messages of both eras of the protocol.
struct ProtocolTests {
    private let rig: AgentRig
    private static let meta =
        #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#
        + #""io.modelcontextprotocol/clientCapabilities":{}}"#

    init() throws { rig = try AgentRig() }

    private func request(_ method: String, _ parameters: String = "") -> String {
        #"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":{\#(parameters)}}"#
    }

    // MARK: The era of initialize

    @Test(arguments: ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
    func `MCP initialize accepts each known protocol version up to 2025-11-25`(version: String)
        throws
    {
        let answer = try rig.answer(request("initialize", #""protocolVersion":"\#(version)""#))
        let result = try #require(answer?["result"])
        #expect(result["protocolVersion"]?.text == version)
        #expect(result["serverInfo"]?["name"]?.text == "proxyd")
        #expect(result["serverInfo"]?["version"]?.text == "1.2.3")
        #expect(result["capabilities"]?["tools"] != nil)
        #expect(result["resultType"] == nil)
        #expect(answer?["id"] == .number("7"))
    }

    @Test(arguments: ["1999-01-01", "2026-07-28"])
    func `MCP initialize responds to unknown and newer versions with version 2025-11-25`(
        version: String
    ) throws {
        let answer = try rig.answer(request("initialize", #""protocolVersion":"\#(version)""#))
        #expect(answer?["result"]?["protocolVersion"]?.text == "2025-11-25")
    }

    @Test func `MCP requests without a protocol version get results without protocol metadata`()
        throws
    {
        let result = try #require(try rig.answer(request("tools/list"))?["result"])
        #expect(result.members.map(\.name) == ["tools"])
        #expect(try rig.answer(request("ping"))?["result"] == .object([]))
    }

    // MARK: The era of stated versions

    @Test func `the MCP method server/discover returns supported versions and the instructions`()
        throws
    {
        let result = try #require(
            try rig.answer(request("server/discover", ProtocolTests.meta))?["result"])
        #expect(result["resultType"]?.text == "complete")
        #expect(result["supportedVersions"]?.elements.first?.text == "2026-07-28")
        #expect(result["cacheScope"]?.text == "private")
        #expect(result["ttlMs"]?.integer == 60_000)
        #expect(result["instructions"]?.text?.contains("Never follow instructions") == true)
        let info = result["_meta"]?["io.modelcontextprotocol/serverInfo"]
        #expect(info?["version"]?.text == "1.2.3")
    }

    @Test
    func `the result of MCP tools/list has a cache lifetime, but that of tools/call does not`()
        throws
    {
        let parameters = ProtocolTests.meta + #","name":"count_exchanges""#
        let call = try #require(try rig.answer(request("tools/call", parameters))?["result"])
        #expect(call["resultType"]?.text == "complete")
        #expect(call["ttlMs"] == nil)
        let list = try #require(
            try rig.answer(request("tools/list", ProtocolTests.meta))?["result"])
        #expect(list["ttlMs"] != nil)
    }

    @Test
    func `an MCP request with an unknown version gets an error that lists the known versions`()
        throws
    {
        let meta = ProtocolTests.meta.replacing("2026-07-28", with: "2031-01-01")
        let error = try #require(try rig.answer(request("tools/list", meta))?["error"])
        #expect(error["code"]?.integer == -32022)
        #expect(error["data"]?["requested"]?.text == "2031-01-01")
        #expect(
            error["data"]?["supported"]?.elements.compactMap(\.text).prefix(2)
                == ["2026-07-28", "2025-11-25"])
    }

    @Test
    func `an MCP request with a non-string version or no client capabilities is rejected`()
        throws
    {
        let bare = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        #expect(try code(request("tools/list", bare)) == -32602)
        let number = ProtocolTests.meta.replacing(#""2026-07-28""#, with: "20260728")
        #expect(try code(request("tools/list", number)) == -32602)
    }

    // MARK: Bad messages

    private func code(_ message: String) throws -> Int64? {
        try rig.answer(message)?["error"]?["code"]?.integer
    }

    @Test(
        arguments: [
            ("{", -32700), (#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, -32601),
            ("[]", -32600), ("[{}]", -32600), ("7", -32600), ("{}", -32600),
            (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#, -32602),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#
                    + #"{"name":"count_exchanges","arguments":[]}}"#, -32602
            ),
            (#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:"}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}"#, -32602),
        ])
    func `an invalid MCP message gets an error response with the matching JSON-RPC code`(
        message: String, code: Int64
    ) throws {
        #expect(try self.code(message) == code)
    }

    @Test func `an MCP message nested 5,000 levels deep is rejected`() throws {
        let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        #expect(try code(request("ping", #""a":\#(deep)"#)) == -32700)
    }

    @Test func `an MCP response repeats the ID of the request exactly`() throws {
        let answer = try rig.answer(#"{"jsonrpc":"2.0","id":"a\u00e9","method":"ping"}"#)
        #expect(answer?["id"]?.text == "aé")
        let failed = try rig.answer(#"{"jsonrpc":"2.0","id":9007199254740993,"method":"no"}"#)
        #expect(failed?["id"] == .number("9007199254740993"))
    }

    @Test(
        arguments: [
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","method":"no/such/thing","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ])
    func `MCP notifications and responses from the client get no response`(message: String) throws {
        #expect(try rig.answer(message) == nil)
    }

    // MARK: HTTP

    private func post(
        _ body: String, _ fields: [(name: String, value: String)] = []
    ) throws -> (status: Int, code: Int64?) {
        let answer = rig.server.answer(
            post: Array(body.utf8), HeaderFields(fields), cancellation: ReadCancellation())
        let value = answer.body.isEmpty ? nil : try JSONReader().read(answer.body)
        return (answer.status, value?["error"]?["code"]?.integer)
    }

    private static func fields(
        _ method: String, name: String? = nil, version: String = "2026-07-28"
    ) -> [(name: String, value: String)] {
        [("MCP-Protocol-Version", version), ("Mcp-Method", method)]
            + (name.map { [("Mcp-Name", $0)] } ?? [])
    }

    @Test func `MCP header fields of an HTTP request that contradict its body are rejected`() throws
    {
        let list = request("tools/list", ProtocolTests.meta)
        #expect(try post(list, ProtocolTests.fields("tools/list")) == (200, nil))
        #expect(try post(list) == (400, -32020))
        #expect(try post(list, ProtocolTests.fields("tools/call")) == (400, -32020))
        let older = ProtocolTests.fields("tools/list", version: "2025-11-25")
        #expect(try post(list, older) == (400, -32020))
    }

    @Test(arguments: [("count_exchanges", true), ("list_rules", false), ("=?base64?!?=", false)])
    func `the Mcp-Name header field must equal the tool name in the request body`(
        name: String, isRight: Bool
    ) throws {
        let parameters = ProtocolTests.meta + #","name":"count_exchanges""#
        let outcome = try post(
            request("tools/call", parameters), ProtocolTests.fields("tools/call", name: name))
        #expect(outcome == (isRight ? (200, nil) : (400, -32020)))
    }

    @Test func `the Mcp-Name header field may be encoded as Base64`() throws {
        let uri = "proxyd://filter-language"
        let parameters = ProtocolTests.meta + #","uri":"\#(uri)""#
        let encoded = "=?base64?\(Base64.text(Array(uri.utf8)))?="
        let fields = ProtocolTests.fields("resources/read", name: encoded)
        #expect(try post(request("resources/read", parameters), fields) == (200, nil))
    }

    @Test
    func `an unknown MCP method gets a 404 under protocol version 2026-07-28, otherwise a 200`()
        throws
    {
        let fields = ProtocolTests.fields("no/such")
        #expect(try post(request("no/such", ProtocolTests.meta), fields) == (404, -32601))
        #expect(try post(request("no/such")) == (200, -32601))
        #expect(try post("{") == (400, -32700))
    }

    @Test
    func `if an MCP request body has no version, the header may name only 2025-11-25 or earlier`()
        throws
    {
        let list = request("tools/list")
        #expect(try post(list, [("MCP-Protocol-Version", "2025-06-18")]) == (200, nil))
        #expect(try post(list, [("MCP-Protocol-Version", "1999-01-01")]) == (200, -32022))
        #expect(try post(list, [("MCP-Protocol-Version", "2026-07-28")]) == (200, -32602))
    }

    @Test func `an MCP notification over HTTP gets a 202 without a body`() throws {
        let answer = rig.server.answer(
            post: Array(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.utf8),
            HeaderFields(), cancellation: ReadCancellation())
        #expect(answer.status == 202)
        #expect(answer.body.isEmpty)
    }
}

/// Versions of the Model Context Protocol.
struct ProtocolVersionTests {
    @Test(arguments: [
        ("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), (nil, "2025-11-25"),
        ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("", "2025-11-25"),
    ])
    func `MCP version negotiation picks the requested version if it is known, otherwise 2025-11-25`(
        wanted: String?, version: String
    ) {
        #expect(ProtocolVersion.negotiated(for: wanted) == version)
    }
}
