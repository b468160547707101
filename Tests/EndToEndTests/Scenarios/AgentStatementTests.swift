import Foundation
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// SQL of agents, which a process of its own runs.
struct AgentStatementTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try HARFile.write([.init(url: "http://a.test/x")], to: scratch.path + "/a.har")
    }

    /// The answer to a call of `query_sql`, as text.
    private func answer(_ statement: String) throws -> String {
        let call: [String: Any] = [
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": ["name": "query_sql", "arguments": ["statement": statement]],
        ]
        let run = try Tool.run(
            Tool.built("proxyctl"), ["--file", scratch.path + "/a.har", "mcp", "--allow-sql"],
            input: try JSONSerialization.data(withJSONObject: call), seconds: 60)
        let object = try #require(
            try JSONSerialization.jsonObject(with: run.output) as? [String: Any], "\(run.errors)")
        let result = try #require(object["result"] as? [String: Any])
        let content = try #require((result["content"] as? [[String: Any]])?.first)
        return try #require(content["text"] as? String)
    }

    @Test func `the MCP tool query_sql returns the columns and rows of a statement`() throws {
        let text = try answer("SELECT id, url, x'00FF' AS bytes, NULL FROM exchanges")
        #expect(text.contains(#""columns":["id","url","bytes","NULL"]"#))
        #expect(text.contains(#""rows":[[1,"http://a.test/x","AP8=",null]],"more":false"#))
    }

    @Test func `the MCP tool query_sql returns at most 500 rows`() throws {
        let text = try answer(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
        #expect(text.contains(#",[500]],"more":true"#))
    }

    @Test(arguments: ["", "SELEC 1", "DELETE FROM exchange", "SELECT 1; SELECT 2"])
    func `the MCP tool query_sql reports why it rejects a statement`(statement: String) throws {
        let words = ["the statement is empty", "syntax error", "only read-only", "only one"]
        let text = try answer(statement)
        #expect(words.contains { text.contains($0) }, "\(text)")
    }

    /// SQLite does not look up from the search, which would take hours.
    @Test
    func `the MCP tool query_sql stops a statement after 2 seconds, even within one SQLite step`()
        throws
    {
        let text = try answer(
            "SELECT instr(zeroblob(40000000) || x'02', zeroblob(20000000) || x'01')")
        #expect(text == "the statement was ended after 2 seconds")
    }

    @Test(arguments: [
        ("SELECT randomblob(1000000000)", "string or blob too big"),
        (
            "SELECT hex(zeroblob(30000000)) || a, hex(zeroblob(30000000)) || b, "
                + "hex(zeroblob(30000000)) || c, hex(zeroblob(30000000)) || d, "
                + "hex(zeroblob(30000000)) || e FROM (SELECT 1 a, 2 b, 3 c, 4 d, 5 e)",
            "out of memory"
        ),
        (
            // Texts, because blobs take too long to encode without optimization.
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20) "
                + "SELECT hex(zeroblob(500000)) FROM n",
            "the result is too long: select fewer or shorter columns"
        ),
    ])
    func `the MCP tool query_sql returns an error for a statement that needs too much memory`(
        statement: String, problem: String
    ) throws {
        #expect(try answer(statement).contains(problem))
    }
}
