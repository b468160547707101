import Foundation
import ProxydCurlCommand
import ProxydHTTPModel
import Testing

/// Commands that people paste, read as requests.
struct CurlInvocationTests {
    /// What a command sends, by name in lower case; without what curl adds by itself.
    private struct Sent: Equatable {
        var method = ""
        var target = ""
        var fields: [String] = []
        var body: [UInt8] = []
    }

    private static let own: Set = ["host", "user-agent", "content-length"]

    private static func sent(_ invocation: CurlInvocation, port: UInt16) -> Sent {
        let origin = "http://127.0.0.1:\(port)"
        return Sent(
            method: invocation.method, target: String(invocation.url.dropFirst(origin.count)),
            fields: invocation.fields.pairs.filter { $0.name != "User-Agent" }
                .map { "\($0.name.lowercased()): \($0.value)" }.sorted(),
            body: invocation.body)
    }

    private static func sent(_ bytes: [UInt8]) throws -> Sent {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(text.range(of: "\r\n\r\n"))
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let start = lines[0].split(separator: " ")
        let fields = lines.dropFirst().map { line -> (String, String) in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        return Sent(
            method: String(start[0]), target: String(start[1]),
            fields: fields.filter { !own.contains($0.0) }.map { "\($0.0): \($0.1)" }.sorted(),
            body: Array(text[end.upperBound...].utf8))
    }

    /// A real curl is asked what each of them means.
    @Test(
        .enabled(if: Shell.areThere, Shell.absence),
        arguments: [
            "curl URL/a?b=c",
            "curl 'URL/' -H 'X-One: 1' -H 'X-Two:   two words' -H 'Accept:' -H 'X-Empty;'",
            "curl -X PUT URL/x --data-raw '@not a file'",
            "curl URL/x -d a=1 --data b=2 --data-urlencode 'q=a b&c/é' --data-urlencode '=x y'",
            "curl -G URL/x?z=0 -d a=1 --data-urlencode 'q=a b'",
            "curl URL/x --json '{\"a\":[1]}'",
            "curl -sSLkXPATCH URL/x -dabc -A me -e http://from.test/ -b 'a=1; b=2'",
            "curl -u 'user:pa ss' URL/x", "curl -I URL/x", "curl --request DELETE --url URL/x",
            #"curl URL/x -H "X: \"a\" \$HOME \\ \n" -d "it's""#,
            #"curl URL/x -H $'X: it\'s \x41' --data-raw $'line\n\ttab'"#,
            "curl URL/x \\\n  -H 'A: 1' \\\n  --max-time 20 -o /dev/null --http1.1 # a comment",
        ])
    func `a pasted curl command is parsed into the request that curl sends`(command: String) throws
    {
        let server = try RecordingServer()
        let command = command.replacing("URL", with: "http://127.0.0.1:\(server.port)")
        let script = try Shell.bash.start(command + " >/dev/null 2>&1")
        let wanted = try Self.sent(server.record(expectedByteCount: 1))
        _ = try script.finish()
        let found = try Self.sent(CurlInvocation(command), port: server.port)
        #expect(found == wanted, "\(found)")
    }

    @Test func `escapes in curl commands copied from a browser are decoded`() throws {
        let invocation = try CurlInvocation(#"curl h --data-raw $'\u0021\u00e9\U0001F389\ud800'"#)
        #expect(String(decoding: invocation.body, as: UTF8.self) == "!é🎉\u{FFFD}")
    }

    @Test func `a pasted curl command with -F is parsed into a multipart form`() throws {
        let invocation = try CurlInvocation("curl h.test/up -F a=12 --form-string 'b=@x;\"y\"'")
        #expect(invocation.method == "POST" && invocation.url == "http://h.test/up")
        #expect(
            String(decoding: invocation.body, as: UTF8.self) == """
                ------proxyctl\r
                Content-Disposition: form-data; name="a"\r
                \r
                12\r
                ------proxyctl\r
                Content-Disposition: form-data; name="b"\r
                \r
                @x;"y"\r
                ------proxyctl--\r

                """)
        #expect(
            invocation.fields["Content-Type"] == "multipart/form-data; boundary=----proxyctl")
    }

    @Test func `an exported curl command is parsed back into the same request`() throws {
        let body = Array("{\"a\":\"it's\"}".utf8)
        let head = """
            POST /a/../b?x=[1]&y=%20 HTTP/1.1
            Host: 127.0.0.1:8080
            Content-Type: application/json
            X-Quotes: ' " $HOME `id` \\ é
            X-Empty:
            """
        let request = CapturedRequest.make(head, port: 8_080, body: body)
        let command = try #require(CurlCommand(request))
        let invocation = try CurlInvocation(command.text(.multiLine))
        #expect(invocation.method == "POST")
        #expect(invocation.url == "http://127.0.0.1:8080/a/../b?x=[1]&y=%20")
        #expect(invocation.body == body)
        #expect(invocation.fields["X-Quotes"] == "' \" $HOME `id` \\ é")
        #expect(invocation.fields["X-Empty"] == "")
    }

    @Test(arguments: [
        ("curl", "no URL"), ("curl --frobnicate http://h/", "--frobnicate is not supported"),
        ("curl -l http://h/", "-l is not supported"), ("curl http://h/ -H", "-H has no value"),
        ("curl http://h/ 'x", "not closed"), ("curl http://h/ \"x\\", "not closed"),
        ("curl http://h/ | sh", "without |"), ("curl http://h/; rm x", "without ;"),
        ("curl $(id)", "without ("), ("curl http://h/ -d @file", "reads a file"),
        ("curl http://h/ -F a=@file", "reads a file"), ("curl http://h/ -b jar", "reads a file"),
        ("curl http://h/ --data-binary @-", "reads a file"), ("curl a b", "more than one URL"),
        ("wget http://h/", "not a curl command"), ("curl ^\"http://h/^\"", "Windows"),
        ("curl h -F a", "NAME=CONTENT"), ("curl h -F 'a=x;type=text/x'", "put the part in"),
        ("curl h -F 'a=\"x\"'", "put the part in"),
    ])
    func `a pasted curl command that is not supported is rejected with a reason`(
        text: String, words: String
    ) {
        let problem = #expect(throws: CurlProblem.self) { try CurlInvocation(text) }
        #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
    }

    @Test func `a line break in a pasted curl command cannot inject a header field`() throws {
        let invocation = try CurlInvocation(#"curl h.test -H $'X: a\r\nY: b' -A $'a\nb'"#)
        #expect(invocation.fields.pairs.map(\.name) == ["Accept"])
    }

    @Test func `text that begins with curl, even after a prompt, is recognized as a curl command`()
    {
        #expect(
            CurlInvocation.isLikely("  $ curl http://h/") && CurlInvocation.isLikely("curl\\\n"))
        #expect(!CurlInvocation.isLikely("curling") && !CurlInvocation.isLikely("http://curl "))
    }
}
