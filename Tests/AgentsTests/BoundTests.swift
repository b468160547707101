import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydOperations
import ProxydParameterCoding
import ProxydSystem
import ProxydTestSupport
import Testing

@testable import ProxydAgents

/// Answers are bounded whatever was captured, and hidden characters are visible in them.
struct BoundTests {
    private static let byteCountMax = 64 << 10

    /// Exchanges with much of everything.
    private static func exchanges() -> [Exchange] {
        let long = String(repeating: "é\u{1}", count: 20_000)
        var heads = Exchange.sample(1, "/" + String(repeating: "a", count: 30_000))
        heads.request.head = RequestHead(
            method: "GET", target: Array("/".utf8),
            fields: HeaderFields(
                (0..<2_000).map { ("X-\($0)", String(repeating: "v", count: 90)) }))
        let numbers = (0..<8_000).map { #"{"n":\#($0)}"# }.joined(separator: ",")
        let form = (0..<5_000).map { "k\($0)=v\($0)" }.joined(separator: "&")
        return [
            heads, .sample(2, body: long),
            .sample(3, type: "application/json", body: "[\(numbers)]"),
            .sample(
                4, method: "POST", requestType: "application/x-www-form-urlencoded",
                requestBody: form),
            .sample(5, body: (0..<7_000).map { "line \($0)" }.joined(separator: "\n")),
        ]
    }

    private static func rig() throws -> AgentRig {
        try AgentRig(actions: .ruled("")) { try $0.store(exchanges()) }
    }

    @Test func `every MCP tool result is valid JSON of at most 64 KiB`() throws {
        let rig = try BoundTests.rig()
        var calls = [("list_exchanges", #"{"limit":200}"#), ("summarize_exchanges", "{}")]
        for id in 1...5 {
            calls += [
                ("show_exchange", #"{"id":\#(id)}"#),
                ("read_body", #"{"id":\#(id),"length":32768}"#),
                ("read_body", #"{"id":\#(id),"grep":"e"}"#),
                ("diff_exchanges", #"{"left":\#(id),"right":5}"#),
                ("diff_exchanges", #"{"left":3,"right":\#(id)}"#),
            ]
        }
        calls.append(("read_body", #"{"id":3,"json_path":""}"#))
        for (tool, arguments) in calls {
            let answer = try rig.call(tool, arguments)
            var bytes: [UInt8] = []
            JSONText.write(answer, into: &bytes)
            #expect(bytes.count <= BoundTests.byteCountMax, "\(tool) \(arguments)")
        }
    }

    @Test func `an MCP tool result that was shortened says so and explains how to get the rest`()
        throws
    {
        let answer = try BoundTests.rig().call("show_exchange", #"{"id":1}"#)
        #expect(answer["shortened"]?.bool == true)
        #expect(answer["advice"]?.text?.contains("parts") == true)
        let fields = answer["request"]?["headers"]?.elements ?? []
        #expect(fields.last?.elements.first?.text?.hasSuffix("more elements") == true)
    }

    @Test func `the MCP error message for a very long filter is short`() throws {
        let rig = try BoundTests.rig()
        let filter = String(repeating: "x", count: 100_000) + " status>>"
        let problem = try rig.problem("count_exchanges", #"{"filter":"\#(filter)"}"#)
        #expect(problem.utf8.count < 5_000)
    }

    @Test(
        arguments: [
            ("a\u{202E}b", #"a\u{202E}b"#), ("a\u{200B}b", #"a\u{200B}b"#),
            ("\u{1B}[31m", #"\x1B[31m"#), ("a\tb\r\nc", "a\tb\r\nc"),
            ("tag \u{E0041}", #"tag \u{E0041}"#), ("é ☕ 日本", "é ☕ 日本"),
        ])
    func `MCP read_body escapes control and invisible characters but keeps line ends and tabs`(
        body: String, shown: String
    ) throws {
        let rig = try AgentRig { try $0.store([.sample(1, body: body)]) }
        #expect(try rig.call("read_body", #"{"id":1}"#)["text"]?.text == shown)
    }
}

/// Tools that take too long.
struct TimeLimitTests {
    private struct Broken: Error {}

    /// Waits until the reads are cancelled.
    private func waitForCancellation(_ cancellation: ReadCancellation) {
        let pause = Semaphore()
        while !cancellation.isCancelled { _ = pause.wait(forNs: 1_000_000) }
    }

    @Test func `a time limit cancels store reads that are still running when it expires`() {
        let cancellation = ReadCancellation()
        let value = TimeLimit.run(1, cancellation) {
            waitForCancellation(cancellation)
            return 7
        }
        #expect(value == 7 && cancellation.isCancelled)
    }

    @Test func `an operation that returns or throws within its time limit is not cancelled`() {
        let cancellation = ReadCancellation()
        #expect(TimeLimit.run(.max, cancellation) { 1 } == 1)
        #expect(throws: Broken.self) {
            try TimeLimit.run(.max, cancellation) { throw Broken() }
        }
        #expect(!cancellation.isCancelled)
    }
}
