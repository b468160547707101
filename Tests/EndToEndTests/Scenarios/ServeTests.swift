import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl serve`: captures in the place of servers, without a daemon.
@Suite(.timeLimit(.minutes(10)))
struct ServeTests {
    private let data: ScratchFolder

    init() throws { data = try ScratchFolder() }

    private var har: String { data.path + "/api.har" }

    /// A server, and where it listens.
    private struct Server {
        let service: Service
        let address: String
        let firstLine: String

        func curl(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.run("curl", ["-sS", "--max-time", "60"] + arguments)
        }

        /// Ends it; what it says of what it did.
        func stop(lineCount: Int) throws -> (lines: [String], status: Int32) {
            service.signal(SIGTERM)
            let lines = try (0..<lineCount).map { _ in try service.readLine() }
            return (lines, service.waitForExit())
        }
    }

    private func serve(_ arguments: String...) throws -> Server {
        let service = try Service(
            try Tool.built("proxyctl"), ["--data-dir", data.path + "/data", "serve"] + arguments)
        let line = try service.readLine()
        let address = line.split(separator: " ").last.map(String.init) ?? ""
        return Server(service: service, address: address, firstLine: line)
    }

    private func refused(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(
            try Tool.built("proxyctl"), ["--data-dir", data.path + "/data", "serve"] + arguments)
    }

    private func writeHAR() throws {
        try HARFile.write(
            [
                .init(url: "http://api.test/v1/items?b=2&a=1", body: "first"),
                .init(url: "http://api.test/v1/items?b=2&a=1", body: "second"),
                .init(
                    method: "POST", url: "https://auth.test/token",
                    requestFields: ["Content-Type": "application/json"],
                    requestBody: "{\"user\":\"a\"}", body: "token"),
                .init(url: "http://api.test/unused", body: "never"),
            ], to: har)
    }

    @Test
    func `proxyctl serve responds from a HAR file as proxy or as server, and prints a report`()
        throws
    {
        try writeHAR()
        let server = try serve("--from", har)
        #expect(server.firstLine.hasPrefix("serving 4 captures on 127.0.0.1:"))
        let proxy = "http://\(server.address)"
        let url = "http://api.test/v1/items?a=1&b=2"
        #expect(try server.curl("-x", proxy, url).text == "first")
        // What names no other server is answered by the captures of any.
        #expect(try server.curl("\(proxy)/v1/items?a=1&b=2").text == "second")
        #expect(
            try server.curl(
                "-H", "Content-Type: application/json", "-d", "{ \"user\": \"a\" }",
                "\(proxy)/token"
            ).text == "token")
        #expect(
            try server.curl("-H", "Host: api.test", "\(proxy)/v1/items?a=1&b=2").text == "second")
        for host in ["localhost", "LocalHost.", "127.0.0.1", "[::1]"] {
            let bare = try server.curl("-H", "Host: \(host)", "\(proxy)/v1/items?a=1&b=2")
            #expect(bare.text == "second", "\(host)")
        }
        let missed = try server.curl("-i", "\(proxy)/v1/items?a=2")
        #expect(missed.text.contains("\r\nProxyd-Mock: unmatched; nearest=1; differs=query\r\n"))
        // There is no authority whose certificates a client could trust.
        let tunnel = try server.curl("-x", proxy, "https://auth.test/token")
        #expect(tunnel.errors.contains("501"), "\(tunnel)")
        let (lines, status) = try server.stop(lineCount: 3)
        #expect(
            lines == [
                "served 8 requests", "unmatched 1 request", "1 capture never requested: 4",
            ])
        #expect(status == 0)
        #expect(!FileManager.default.fileExists(atPath: data.path + "/data"))
    }

    @Test func `proxyctl serve --strict exits with 1 after an unmatched request`() throws {
        try writeHAR()
        for (path, expected) in [("/unused", Int32(0)), ("/other", 1)] {
            let server = try serve("--from", har, "--strict", "--unmatched", "404")
            let got = try server.curl(
                "-o", "/dev/null", "-w", "%{http_code}", "http://\(server.address)\(path)")
            #expect(got.text == (expected == 0 ? "200" : "404"))
            #expect(try server.stop(lineCount: 3).status == expected)
        }
    }

    @Test
    func `without proxyd, proxyctl serve responds from a store and uses the store's CA for TLS`()
        throws
    {
        let origin = try ReplayOrigin()
        let daemon = try Daemon(data: data)
        try daemon.curl("http://\(origin.authority)/count?n=1")
        try daemon.curl("http://\(origin.authority)/other")
        let har = data.path + "/tls.har"
        try HARFile.write([.init(url: "https://api.test/x", body: "secure")], to: har)
        #expect(try daemon.proxyctl(["import", har]).status == 0)
        _ = try daemon.rows(count: 3)
        #expect(daemon.stop() == 0)
        let server = try serve(
            "--from", "path:/count or host=api.test", "--ignore", "query:n", "--order", "cycle")
        #expect(server.firstLine.hasPrefix("serving 2 captures on "))
        let proxy = "http://\(server.address)"
        #expect(try server.curl("-x", proxy, "http://\(origin.authority)/count?n=9").text == "ok")
        let other = try server.curl(
            "-x", proxy, "-o", "/dev/null", "-w", "%{http_code}",
            "http://\(origin.authority)/other")
        #expect(other.text == "502")
        for version in ["--http1.1", "--http2"] {
            let secure = try server.curl(
                version, "-x", proxy, "--cacert", daemon.certificatePath, "https://api.test/x")
            #expect(secure.text == "secure", "\(version): \(secure)")
        }
        #expect(try server.stop(lineCount: 2).status == 0)
    }

    @Test func `proxyctl serve rejects invalid arguments with a message`() throws {
        try writeHAR()
        let cases: [(arguments: [String], status: Int32, says: String)] = [
            (["--from", har, "--order", "twice"], 64, "--order: "),
            (["--from", har, "--match", "Accept"], 64, "--match: cannot match Accept"),
            (["--from", har, "--unmatched", "1000"], 64, "--unmatched: expected a status"),
            (["--from", har, "--listen", "here"], 64, "--listen takes ADDRESS:PORT"),
            (
                ["--from", har, "--listen", "0.0.0.0:0", "--unmatched", "forward"], 64,
                "a proxy for every machine"
            ),
            (["--from", data.path + "/none.har"], 1, "No such file"),
            (["--from", "hots=a"], 64, "hots"),
            ([], 64, "give --from or --reset"), (["--reset"], 1, "no daemon is running"),
        ]
        for (arguments, status, says) in cases {
            let outcome = try Tool.run(
                try Tool.built("proxyctl"),
                ["--data-dir", data.path + "/data", "serve"] + arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome)")
            #expect(outcome.errors.contains(says), "\(arguments): \(outcome.errors)")
        }
        try HARFile.write([], to: har)
        #expect(try refused("--from", har).errors.contains("there is nothing to serve"))
    }
}

/// A HAR file as another program would have written it.
enum HARFile {
    /// One request and its response.
    struct Entry {
        var method = "GET"
        var url: String
        var requestFields: [String: String] = [:]
        var requestBody: String?
        var status = 200
        var fields: [String: String] = ["Content-Type": "text/plain"]
        var body = ""
        /// Milliseconds.
        var wait = 1.0
        var receive = 1.0
    }

    /// Writes one; what it holds began in the order of the entries.
    static func write(_ entries: [Entry], to path: String) throws {
        let all = entries.enumerated().map { index, entry in object(entry, index) }
        let log: [String: Any] = [
            "version": "1.2", "creator": ["name": "test", "version": "1"], "entries": all,
        ]
        try JSONSerialization.data(withJSONObject: ["log": log])
            .write(to: URL(fileURLWithPath: path))
    }

    private static func object(_ entry: Entry, _ index: Int) -> [String: Any] {
        var request: [String: Any] = [
            "method": entry.method, "url": entry.url, "httpVersion": "HTTP/1.1",
            "headers": pairs(entry.requestFields), "queryString": [], "cookies": [],
            "headersSize": -1, "bodySize": entry.requestBody?.utf8.count ?? 0,
        ]
        if let body = entry.requestBody {
            request["postData"] = [
                "mimeType": entry.requestFields["Content-Type"] ?? "text/plain", "text": body,
            ]
        }
        let type = entry.fields["Content-Type"] ?? "text/plain"
        return [
            "startedDateTime": "2026-11-23T10:00:0\(index % 10).000Z",
            "time": entry.wait + entry.receive, "cache": [String: String](),
            "timings": ["send": 0, "wait": entry.wait, "receive": entry.receive],
            "request": request,
            "response": [
                "status": entry.status, "statusText": "", "httpVersion": "HTTP/1.1",
                "headers": pairs(entry.fields), "cookies": [], "redirectURL": "",
                "headersSize": -1, "bodySize": entry.body.utf8.count,
                "content": [
                    "size": entry.body.utf8.count, "mimeType": type, "text": entry.body,
                ],
            ],
        ]
    }

    private static func pairs(_ fields: [String: String]) -> [[String: String]] {
        fields.sorted { $0.key < $1.key }.map { ["name": $0.key, "value": $0.value] }
    }
}
