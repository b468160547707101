import Capture
import ProxydAgents
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydRedactionTestSupport
import Testing

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
