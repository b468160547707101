import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydInterchange
import ProxydTestSupport
import Testing

/// Scripts for k6 as an interpreter of JavaScript runs them, with modules that only report.
struct K6RunTests {
    private static let node = ["/usr/bin/node", "/usr/local/bin/node"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Modules in place of those of k6.
    private static let modules = """
        const done = [];
        const sleep = (seconds) => done.push({ sleep: seconds });
        const check = (response, checks) => done.push({
          checks: Object.entries(checks).map(([name, is]) => [name, is(response)]) });
        const http = { request: (method, url, body, options) => {
          done.push({ method, url, headers: Object.entries(options.headers),
            body: body === null ? null : Buffer.from(body).toString("base64"),
            redirects: options.redirects });
          return { status: 201 };
        } };

        """

    private func run(_ script: String) throws -> [[String: Any]] {
        let body = script.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("import ") }
            .map { $0.replacing("export default function", with: "function main") }
            .map { $0.replacing("export const", with: "const") }.joined(separator: "\n")
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: try #require(K6RunTests.node))
        process.arguments = [
            "--input-type=module", "-e",
            K6RunTests.modules + body + "\nmain();\nconsole.log(JSON.stringify(done));",
        ]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try #require(try JSONSerialization.jsonObject(with: output) as? [[String: Any]])
    }

    private func script(_ entries: [String]) throws -> String {
        let log = #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
        let store = try InterchangeStore(importing: Array(log.utf8))
        return String(decoding: try store.export(K6Writer()), as: UTF8.self)
    }

    private func text(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    private static let texts = [
        "a", "\"", "\\", "'", "`${x}`", "\u{2028}", "é", "😀", "</script>", "*/", "// x",
        "\n}\nthrow 1;//", "\u{0}", "{\"a\":\"b\"}",
    ]

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `a k6 script sends the captured requests unchanged, whatever characters they contain`()
        throws
    {
        let entries = try K6RunTests.texts.map { body in
            HARText.entry(
                url: "http://a.test/x?y=1", method: "POST",
                headers: #"{"name":"X-A","value":"q\"\\\\'"},{"name":"x-a","value":"2"}"#,
                request: #","postData":{"mimeType":"text/plain","text":\#(try text(body))}"#,
                response: #"{"status":201}"#)
        }
        let done = try run(try script(entries))
        let sent = done.filter { $0["method"] != nil }
        #expect(
            sent.map { $0["body"] as? String }
                == K6RunTests.texts.map { Data($0.utf8).base64EncodedString() })
        for request in sent {
            #expect(request["url"] as? String == "http://a.test/x?y=1")
            #expect(request["redirects"] as? Int == 0)
            let headers = request["headers"] as? [[String]]
            #expect(headers == [["X-A", "q\"\\\\', 2"], ["Content-Type", "text/plain"]])
        }
        let checks = done.compactMap { ($0["checks"] as? [[Any]])?.first?.last as? Bool }
        #expect(checks == Array(repeating: true, count: K6RunTests.texts.count))
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `a k6 script sends headers that are named like members of JavaScript objects`() throws {
        let headers = ["__proto__", "constructor", "toString", "hasOwnProperty"]
            .map { #"{"name":"\#($0)","value":"v"}"# }.joined(separator: ",")
        let sent = try run(try script([HARText.entry(headers: headers)]))
        #expect((sent.first?["headers"] as? [[String]])?.count == 4)
        #expect(sent.first?["body"] is NSNull)
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `a k6 script leaves out very short pauses and limits long ones to ten seconds`() throws {
        let times = ["00:00:00Z", "00:00:00.050Z", "00:00:01.999Z", "00:30:00Z", "00:10:00Z"]
        let entries = times.map { HARText.entry().replacing("00:00:00Z", with: $0) }
        let done = try run(try script(entries))
        // Less than a tenth is no pause, more than ten seconds are ten, and no pause goes back.
        #expect(done.compactMap { $0["sleep"] as? Double } == [1.9, 10])
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `an exchange that a k6 script cannot repeat becomes a one-line comment with the reason`()
        throws
    {
        let entries = [
            HARText.entry(url: "tunnel://a.test:443", method: "CONNECT"),
            HARText.entry(
                url: "http://a.test/\\n}throw 1;//", method: "POST", request: #","bodySize":9"#),
            HARText.entry(
                url: "ws://a.test/", response: #"{"status":101}"#,
                more: #","_webSocketMessages":[{"type":"send","data":"a"}]"#),
        ]
        let script = try script(entries)
        #expect(try run(script).isEmpty)
        #expect(script.contains("// no request: a tunnel is not a request to a server"))
        #expect(script.contains("// no request: 0 of 9 bytes of the body were kept"))
        #expect(script.contains("// no request: it was upgraded to another protocol"))
    }
}
