import Foundation
import ProxydHTTPModel
import ProxydInterchange
import ProxydTestSupport
import Testing

/// Snippets as the languages' own interpreters run them, with a library that only reports what it
/// was asked to send.
struct SnippetPeerTests {
    private static func program(_ names: [String]) -> String? {
        names.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static let node = program(["/usr/bin/node", "/usr/local/bin/node"])
    private static let python = program(["/usr/bin/python3", "/usr/local/bin/python3"])

    /// A module in place of `requests`.
    private static let requests = """
        import base64, json, sys, types
        module = types.ModuleType("requests")
        def request(method, url, headers={}, data=b"", allow_redirects=True):
            sys.stdout.write(json.dumps(dict(
                method=method, url=url, headers=list(headers.items()),
                body=base64.b64encode(data).decode())))
            return types.SimpleNamespace(status_code="")
        module.request = request
        sys.modules["requests"] = module

        """

    private static let fetch = """
        globalThis.fetch = async (url, options) => process.stdout.write(JSON.stringify({
          method: options.method, url, headers: options.headers ?? [],
          body: Buffer.from(options.body ?? "").toString("base64"),
        }));

        """

    /// Texts that would leave a literal or a comment if they were not escaped.
    private static let texts = [
        "", "a", "\"", "\\", "\\\"", "'", "\n", "\r\n", "\t", "\u{0}", "\u{1B}[2J", "\u{7F}",
        "\u{85}", "\u{2028}", "\u{202E}", "é", "😀", "${x}", "\\(x)", "#{x}", "</script>", "*/",
        "\"\"\"", "\nimport os", "\\u0041", "%0A",
    ]

    private func sample(_ random: inout SplitMix) -> Request {
        func text() -> String { (0..<3).map { _ in Self.texts.pick(&random) }.joined() }
        let name = "X-" + text()
        let bytes = (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
        return Request(
            url: RawURL(scheme: "http", host: "a.test", port: 80, origin: Array("/?q=1".utf8)),
            head: RequestHead(
                method: "POST", target: Array("/?q=1".utf8),
                fields: HeaderFields([(name, text()), ("X-B", text()), (name, text())])),
            body: Body(Bool.random(using: &random) ? bytes : Array(text().utf8)))
    }

    private func run(_ program: String, _ arguments: [String]) throws -> [String: Any] {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let text = String(decoding: output, as: UTF8.self)
        let line = Data(text.utf8.prefix { $0 != 0x0A })
        return try #require(
            try JSONSerialization.jsonObject(with: line) as? [String: Any], "\(text)")
    }

    private func check(_ sent: [String: Any], _ request: Request, isJoined: Bool) throws {
        #expect(sent["method"] as? String == "POST")
        #expect(sent["url"] as? String == "http://a.test/?q=1")
        #expect(sent["body"] as? String == Data(request.body.kept).base64EncodedString())
        let expected = request.head?.fields.pairs.map { [$0.name, $0.value] } ?? []
        let headers = try #require(sent["headers"] as? [[String]])
        if isJoined {
            let (name, first, second) = (expected[0][0], expected[0][1], expected[2][1])
            #expect(headers == [[name, first + ", " + second], expected[1]])
        } else {
            #expect(headers == expected)
        }
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `a JavaScript snippet sends the captured request, whatever characters it contains`() throws
    {
        var random = SplitMix(seed: 41)
        for _ in 0..<25 {
            let request = sample(&random)
            let code = try #require(RequestSnippet.fetch.text(of: request))
            let sent = try run(
                try #require(Self.node), ["--input-type=module", "-e", Self.fetch + code])
            try check(sent, request, isJoined: false)
        }
    }

    @Test(.enabled(if: python != nil, "Python is not installed"))
    func `a Python snippet sends the captured request, whatever characters it contains`() throws {
        var random = SplitMix(seed: 42)
        for _ in 0..<25 {
            let request = sample(&random)
            let code = try #require(RequestSnippet.python.text(of: request))
            let sent = try run(try #require(Self.python), ["-c", Self.requests + code])
            try check(sent, request, isJoined: true)
        }
    }
}
