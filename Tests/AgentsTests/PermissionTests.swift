import Foundation
import ProxydAgents
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// What agents may change, and only with the user's permission.
struct PermissionTests {
    private let done = RememberedActions()

    private func rig(
        _ permit: (inout AgentPolicy) -> Void = { _ in }, sql: AgentServices.SQLRunner? = nil
    ) throws -> AgentRig {
        var policy = AgentPolicy()
        permit(&policy)
        return try AgentRig(
            policy: policy, actions: done.actions,
            fill: {
                try $0.store([
                    .sample(1, "/a", method: "POST", body: "b", requestBody: "old"),
                    .sample(2, "/b"),
                ])
            }, sql: sql)
    }

    @Test func `by default, the MCP server offers only read-only tools`() throws {
        let rig = try rig()
        let answer = try rig.answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        let tools = answer?["result"]?["tools"]?.elements ?? []
        #expect(!tools.isEmpty)
        for tool in tools {
            #expect(tool["annotations"]?["readOnlyHint"]?.bool == true)
            #expect(tool["annotations"]?["openWorldHint"]?.bool == false)
        }
        for name in ["query_sql", "replay_exchange", "annotate_exchange", "export_exchanges"] {
            let answer = try JSONReader().read(try rig.bytes(name, #"{"id":1}"#))
            #expect(answer["error"]?["message"]?.text == "there is no tool \(name)")
        }
    }

    // MARK: Sending again

    private func replayRig() throws -> AgentRig {
        try rig { $0.allowsReplay = { host, port in host == "api.test" && port == 80 } }
    }

    @Test
    func `the MCP tool replay_exchange resends a captured request unchanged or with given edits`()
        throws
    {
        let rig = try replayRig()
        _ = try rig.call("replay_exchange", #"{"id":2}"#)
        #expect(done.repeated == [ExchangeID(rawValue: 2)])
        _ = try rig.call(
            "replay_exchange",
            #"{"id":1,"method":"PUT","url":"http://api.test/c","set_headers":[["X","1"]],"#
                + #""body_text":"new"}"#)
        let sent = try #require(done.sent.first)
        #expect(sent.method == "PUT")
        #expect(sent.url?.description == "http://api.test/c")
        #expect(sent.head?.fields["X"] == "1")
        #expect(sent.head?.fields["Host"] == "api.test")
        #expect(sent.body.kept == Array("new".utf8))
    }

    @Test(
        arguments: [
            "http://evil.test/a", "https://api.test/a", "http://api.test:81/a",
            "http://api.test@evil.test/a",
        ])
    func `the MCP tool replay_exchange rejects a URL of a server other than the captured one`(
        url: String
    ) throws {
        let rig = try replayRig()
        let problem = try rig.problem("replay_exchange", #"{"id":1,"url":"\#(url)"}"#)
        #expect(problem.contains("url"))
        #expect(done.sent.isEmpty)
    }

    @Test func `the MCP tool replay_exchange sends nothing to a host that the user did not allow`()
        throws
    {
        let rig = try rig { $0.allowsReplay = { host, _ in host == "other.test" } }
        let problem = try rig.problem("replay_exchange", #"{"id":1}"#)
        #expect(problem.contains("--allow-replay api.test"))
        #expect(done.repeated.isEmpty)
    }

    @Test(
        arguments: [
            #""set_headers":[["Host","evil.test"]]"#, #""set_headers":[["hOST","evil.test"]]"#,
            #""remove_headers":["Host"]"#, #""set_headers":[["X-Forwarded-Host","evil.test"]]"#,
            #""set_headers":[["X-Original-URL","/other"]]"#,
        ])
    func `the MCP tool replay_exchange rejects changes to Host and other routing headers`(
        change: String
    ) throws {
        let problem = try replayRig().problem("replay_exchange", "{\"id\":1,\(change)}")
        #expect(problem.hasSuffix("cannot be changed: it could lead to another server"))
        #expect(done.sent.isEmpty)
    }

    @Test(
        arguments: [
            #""url":"http://api.test/?token=REDACTED&page=2""#,
            #""set_headers":[["Authorization","Bearer REDACTED"]]"#,
            #""body_text":"password=REDACTED""#,
        ])
    func `MCP replay_exchange rejects edits that contain the placeholder of a hidden credential`(
        change: String
    ) throws {
        let problem = try replayRig().problem("replay_exchange", "{\"id\":1,\(change)}")
        #expect(problem.contains("hides a credential"))
        #expect(done.sent.isEmpty)
    }

    @Test
    func `the MCP tool replay_exchange sets and removes the given headers and keeps the others`()
        throws
    {
        let rig = try replayRig()
        _ = try rig.call(
            "replay_exchange",
            #"{"id":1,"set_headers":[["X-New","1"]],"remove_headers":["Content-Type"]}"#)
        let fields = try #require(done.sent.first?.head?.fields)
        #expect(fields.pairs.map(\.name) == ["Host", "X-New"])
    }

    @Test func `the MCP tool replay_exchange rejects a header value with a line break`() throws {
        let rig = try replayRig()
        let problem = try rig.problem(
            "replay_exchange", #"{"id":1,"set_headers":[["X","1\r\nY: 2"]]}"#)
        #expect(problem.contains("not a field"))
        #expect(done.sent.isEmpty)
    }

    // MARK: Annotations and exports

    @Test func `the MCP tool annotate_exchange changes the note, tags and pin of an exchange`()
        throws
    {
        let rig = try rig { $0.allowsAnnotations = true }
        _ = try rig.call(
            "annotate_exchange", #"{"id":2,"note":"odd","tags":["a"],"pinned":true}"#)
        _ = try rig.call("annotate_exchange", #"{"id":1,"note":null}"#)
        #expect(
            done.annotations == [
                AnnotationChange(
                    id: ExchangeID(rawValue: 2), note: "odd", addedTags: ["a"], isPinned: true),
                AnnotationChange(id: ExchangeID(rawValue: 1), note: ""),
            ])
        #expect(
            try rig.problem("annotate_exchange", #"{"id":9,"note":"x"}"#)
                == "there is no exchange 9")
        #expect(try rig.problem("annotate_exchange", #"{"id":1,"tags":"a"}"#).contains("array"))
    }

    @Test
    func `the MCP tool export_exchanges writes a redacted file, mode 600, to the allowed folder`()
        throws
    {
        let scratch = try ScratchFolder()
        let rig = try rig {
            $0.exportDirectory = scratch.path
            $0.hiddenNames = HiddenNames(fields: ["X-Own"])
        }
        let answer = try rig.call("export_exchanges", #"{"filter":"host=api.test"}"#)
        let path = try #require(answer["path"]?.text)
        #expect(path.hasPrefix(scratch.path + "/exchanges-"))
        #expect(path.hasSuffix(".har"))
        #expect(answer["bytes"]?.integer == 8)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "exported")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        let order = try #require(done.exports.first)
        #expect(order.isRedacted)
        #expect(order.hiddenNames.fields == ["X-Own"])
        #expect(order.selection == .filter("host=api.test"))
        _ = try rig.call("export_exchanges", "{}")
        #expect(scratch.names.count == 2)
    }

    // MARK: SQL

    @Test
    func `the MCP tool query_sql returns at most 500 rows and hides credentials in text values`()
        throws
    {
        let rig = try rig(
            { $0.allowsSQL = true },
            sql: { _, onColumns, onRow in
                onColumns(["n", "text"])
                for number in 0..<2_000 {
                    guard onRow([.integer(number), .string("token=hidden5 \u{202E}")]) else {
                        return
                    }
                }
            })
        let answer = try rig.call("query_sql", #"{"statement":"SELECT 1"}"#)
        #expect(answer["more"]?.bool == true)
        let rows = answer["rows"]?.elements ?? []
        #expect(rows.count == 500)
        #expect(rows.first?.elements.last?.text == #"token=REDACTED \u{202E}"#)
        let schema = try rig.answer(
            #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":"#
                + #"{"uri":"proxyd://schema"}}"#)
        #expect(
            schema?["result"]?["contents"]?.elements.first?["text"]?.text?.contains("duration_ms")
                == true)
    }

    @Test func `the MCP tool query_sql ends a statement that takes longer than 2 seconds`() throws {
        let rig = try rig(
            { $0.allowsSQL = true },
            sql: { _, _, _ in
                while !ReadCancellation.isCurrentCancelled {}
                throw StoreError.cancelled
            })
        let problem = try rig.problem("query_sql", #"{"statement":"SELECT 1"}"#)
        #expect(problem == "the statement was ended after 2 seconds")
    }

    @Test func `the instructions of the MCP server state what the agent is permitted to do`() throws
    {
        func instructions(_ rig: AgentRig) throws -> String {
            let answer = try rig.answer(
                #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#)
            return answer?["result"]?["instructions"]?.text ?? ""
        }
        #expect(try instructions(rig()).contains("Nothing can be changed or sent."))
        let all = try instructions(
            rig {
                $0.allowsAnnotations = true
                $0.showsSecrets = true
            })
        #expect(all.contains("notes, tags and pins"))
        #expect(all.contains("Credentials are shown"))
    }
}
