import ProxydAgents
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydParameterCoding
import ProxydSystem
import ProxydTestSupport
import Synchronization
import Testing

/// Conversations in lines.
struct ConversationTests {
    /// The answers, in the order in which they were sent.
    private final class Answers: Sendable {
        private let all = Mutex<[JSONValue]>([])

        func add(_ bytes: [UInt8]) {
            let value = (try? JSONReader().read(bytes)) ?? .null
            all.withLock { $0.append(value) }
        }

        var ids: [Int64?] { all.withLock { $0.map { $0["id"]?.integer } } }
        var values: [JSONValue] { all.withLock { $0 } }
    }

    private static func request(_ id: Int, _ method: String = "ping") -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#.utf8)
    }

    @Test
    func `an MCP conversation does not end until it has responded to all requests in order`()
        throws
    {
        let answers = Answers()
        let conversation = AgentConversation(try AgentRig().server) { answers.add($0) }
        #expect(conversation.start())
        for id in 1...200 { conversation.receive(ConversationTests.request(id)) }
        conversation.finish()
        #expect(answers.ids == (1...200).map { $0 })
    }

    @Test func `in MCP, invalid and overlong lines get an error response and are skipped`() throws {
        let answers = Answers()
        let conversation = AgentConversation(try AgentRig().server) { answers.add($0) }
        #expect(conversation.start())
        conversation.receive(Array("nonsense".utf8))
        conversation.refuseLongLine()
        conversation.receive(Array(#"{"jsonrpc":"2.0","method":"notifications/x"}"#.utf8))
        conversation.receive(ConversationTests.request(1))
        conversation.finish()
        let codes = answers.values.map { $0["error"]?["code"]?.integer }
        #expect(codes.compactMap(\.self) == [-32700, -32600])
        #expect(answers.ids.last == 1)
    }

    @Test func `an MCP tool call in progress can be cancelled`() throws {
        let hasBegun = Semaphore()
        var policy = AgentPolicy()
        policy.allowsSQL = true
        let rig = try AgentRig(
            policy: policy,
            sql: { _, _, _ in
                hasBegun.signal()
                while !ReadCancellation.isCurrentCancelled {}
                throw StoreError.cancelled
            })
        let answers = Answers()
        let conversation = AgentConversation(rig.server) { answers.add($0) }
        #expect(conversation.start())
        conversation.receive(
            Array(
                (#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"query_sql","#
                    + #""arguments":{"statement":"SELECT 1"}}}"#).utf8))
        hasBegun.wait()
        conversation.receive(
            Array(
                (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":"#
                    + #"{"requestId":"a"}}"#).utf8))
        conversation.receive(ConversationTests.request(2))
        conversation.finish()
        #expect(answers.values.first?["result"]?["isError"]?.bool == true)
        #expect(answers.ids.last == 2)
    }
}
