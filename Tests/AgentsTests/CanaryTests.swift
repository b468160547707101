import Capture
import ProxydAgents
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydOperations
import ProxydParameterCoding
import ProxydRedactionTestSupport
import ProxydTestSupport
import Testing

/// No answer of any tool or resource contains a credential, wherever it was recorded.
struct CanaryTests {
    /// Calls that show everything that the samples have.
    private static let calls: [(tool: String, arguments: String)] = {
        var calls = [
            ("list_exchanges", "{}"), ("summarize_exchanges", "{}"),
            ("summarize_exchanges", #"{"by":"path"}"#),
            ("summarize_exchanges", #"{"by":"path","server":"http://api.test:80"}"#),
            ("list_rules", "{}"), ("test_rule", "{}"),
            ("explain_filter", #"{"filter":"body:x"}"#),
        ]
        for id in 1...9 {
            calls += [
                ("show_exchange", #"{"id":\#(id)}"#), ("list_messages", #"{"id":\#(id)}"#),
                ("diff_exchanges", #"{"left":\#(id),"right":6}"#),
                ("diff_exchanges", #"{"left":2,"right":\#(id)}"#),
                ("test_rule", #"{"explain":\#(id)}"#),
            ]
            for side in ["request", "response"] {
                calls += [
                    ("read_body", #"{"id":\#(id),"side":"\#(side)"}"#),
                    ("read_body", #"{"id":\#(id),"side":"\#(side)","json_path":"token"}"#),
                    (
                        "read_body",
                        #"{"id":\#(id),"side":"\#(side)","grep":"\#(CanarySamples.secret)"}"#
                    ),
                ]
            }
        }
        return calls
    }()

    private static let rules = """
        [[rule]]
        name = "key"
        when = 'reqheader.authorization:canary reqheader.x-api-key:""'
        request = [{ set = "header:Authorization", value = "Bearer \(CanarySamples.secret)" }]
        """

    private static func rig(_ policy: AgentPolicy) throws -> AgentRig {
        try AgentRig(policy: policy, actions: .ruled(rules), fill: CanarySamples.record)
    }

    /// What all calls and resources answer, as text, with Base64 decoded.
    private static func everything(_ rig: AgentRig) throws -> [(call: String, text: String)] {
        var answers = try calls.map { call in
            let bytes = try rig.bytes(call.tool, call.arguments)
            return ("\(call.tool) \(call.arguments)", String(decoding: bytes, as: UTF8.self))
        }
        for id in 1...9 {
            let answer = try rig.answer(
                #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":"#
                    + #"{"uri":"proxyd://exchange/\#(id)"}}"#)
            answers.append(("resource \(id)", "\(answer ?? .null)"))
        }
        return answers.map { ($0.0, $0.1 + "\n" + decodedBase64($0.1)) }
    }

    private static func decodedBase64(_ text: String) -> String {
        text.matches(of: /"([A-Za-z0-9+\/=]{8,})"/).map { match in
            String(decoding: Base64.bytes(String(match.output.1)) ?? [], as: UTF8.self)
        }.joined(separator: "\n")
    }

    /// Calls whose answers repeat what the agent itself said.
    private static func repeats(_ call: String) -> Bool { call.contains(CanarySamples.secret) }

    @Test func `no MCP tool or resource returns a credential from any part of an exchange`() throws
    {
        for answer in try CanaryTests.everything(CanaryTests.rig(AgentPolicy()))
        where !CanaryTests.repeats(answer.call) {
            #expect(!answer.text.contains(CanarySamples.secret), "\(answer.call): \(answer.text)")
        }
    }

    @Test func `grep in the MCP tool read_body does not find credentials`() throws {
        let rig = try CanaryTests.rig(AgentPolicy())
        for id in [1, 2, 6] {
            for side in ["request", "response"] {
                let answer = try rig.call(
                    "read_body",
                    #"{"id":\#(id),"side":"\#(side)","grep":"\#(CanarySamples.secret)"}"#)
                #expect(answer["matches"] == .array([]))
            }
        }
    }

    /// The same calls find it if the user wants that, so that the test above can fail.
    @Test func `MCP tools show credentials if the user permits it`() throws {
        var policy = AgentPolicy()
        policy.showsSecrets = true
        let shown = try CanaryTests.everything(CanaryTests.rig(policy)).filter {
            $0.text.contains(CanarySamples.secret)
        }.map(\.call)
        for id in [1, 2, 3, 4, 6, 7, 9] {
            #expect(shown.contains { $0 == #"show_exchange {"id":\#(id)}"# }, "\(id)")
        }
        #expect(shown.contains(#"list_messages {"id":8}"#))
        #expect(shown.contains(#"list_messages {"id":9}"#))
        #expect(shown.contains("list_exchanges {}"))
        #expect(shown.contains(#"test_rule {"explain":1}"#))
    }

    @Test func `MCP tools hide the values of parameters whose names are in the user's list`() throws
    {
        let secret = "topping42"
        var policy = AgentPolicy()
        policy.hiddenNames.parameters = ["topping"]
        let rig = try AgentRig(policy: policy) {
            try $0.store([
                .sample(
                    1, "/?topping=\(secret)", type: "application/json",
                    body: #"{"topping":"\#(secret)"}"#)
            ])
        }
        for (tool, arguments) in [
            ("list_exchanges", "{}"), ("show_exchange", #"{"id":1}"#),
            ("read_body", #"{"id":1,"json_path":"topping"}"#),
        ] {
            let text = String(decoding: try rig.bytes(tool, arguments), as: UTF8.self)
            #expect(!text.contains(secret), "\(tool)")
        }
    }

    @Test func `MCP tools omit content that cannot be searched for credentials, and say so`() throws
    {
        let rig = try CanaryTests.rig(AgentPolicy())
        let binary = try rig.call("show_exchange", #"{"id":7}"#)
        #expect(binary["response"]?["body"]?["left_out"] != nil)
        #expect(binary["left_out"]?.elements.contains(.string("response body")) == true)
        #expect(try rig.problem("read_body", #"{"id":7}"#).contains("could not be searched"))
        let messages = try rig.call("list_messages", #"{"id":8}"#)["messages"]?.elements ?? []
        #expect(messages.map { $0["left_out"] != nil } == [false, true, false])
    }
}

/// No answer to an agent has a credential, wherever it was and however it was spelled.
struct CorpusAnswerTests {
    /// The answers about all exchanges.
    private static func answers(_ policy: AgentPolicy) throws -> [String] {
        let rig = try AgentRig(policy: policy) { recorder in
            for sample in SecretCorpus.sample {
                recorder.record(sample.update(recorder.nextExchangeID()))
            }
        }
        var answers = [String(decoding: try rig.bytes("list_exchanges"), as: UTF8.self)]
        for (index, sample) in SecretCorpus.sample.enumerated() {
            var calls = [("show_exchange", "{\"id\":\(index + 1)}")]
            switch sample.carrier {
            case .webSocket: calls.append(("list_messages", "{\"id\":\(index + 1)}"))
            case .form, .multipart:
                calls.append(("read_body", "{\"id\":\(index + 1),\"side\":\"request\"}"))
            case .json, .events, .text, .markup, .script:
                calls.append(("read_body", "{\"id\":\(index + 1),\"side\":\"response\"}"))
            case .query, .header, .cookie, .path: break
            }
            for (tool, arguments) in calls {
                answers.append(String(decoding: try rig.bytes(tool, arguments), as: UTF8.self))
            }
        }
        return answers
    }

    @Test func `no MCP tool result contains a credential of the test corpus`() throws {
        for answer in try CorpusAnswerTests.answers(AgentPolicy()) {
            let found = SecretCorpus.found(in: answer)
            #expect(found.isEmpty, "\(found): \(answer.prefix(2_000))")
        }
    }

    @Test
    func `if the user permits it, MCP tool results contain every credential of the test corpus`()
        throws
    {
        var policy = AgentPolicy()
        policy.showsSecrets = true
        let found = SecretCorpus.found(
            in: try CorpusAnswerTests.answers(policy).joined(separator: "\n"))
        #expect(found.count == SecretCorpus.sample.count)
    }
}
