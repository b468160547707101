import Foundation
@testable import proxyctl
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// `proxyctl import` and `--file` with files of other programs.
@Suite struct ForeignImportTests {
    private func flow(_ path: String, type: String = "http") -> [UInt8] {
        FlowText.dictionary([
            ("type", FlowText.text(type)), ("version", FlowText.integer(21)),
            (
                "request",
                FlowText.dictionary([
                    ("method", FlowText.bytes("GET")), ("scheme", FlowText.bytes("http")),
                    ("host", FlowText.text("a.test")), ("port", FlowText.integer(80)),
                    ("path", FlowText.bytes(path)), ("headers", FlowText.list([])),
                    ("content", FlowText.bytes("")),
                    ("timestamp_start", FlowText.integer(1_700_000_000)),
                ])
            ),
            (
                "response",
                FlowText.dictionary([
                    ("status_code", FlowText.integer(204)), ("headers", FlowText.list([])),
                    ("content", FlowText.bytes("")),
                ])
            ),
        ])
    }

    private func write(_ bytes: [UInt8], _ name: String, _ store: SampleStore) throws -> String {
        let path = "\(store.scratch.path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private var archive: ZIPArchive {
        ZIPArchive([
            ("raw/1_c.txt", "GET http://a.test/saz HTTP/1.1\r\nHost: a.test\r\n\r\n"),
            ("raw/1_m.xml", "<Session/>"), ("raw/1_s.txt", "HTTP/1.1 204 No Content\r\n\r\n"),
        ])
    }

    @Test
    func `proxyctl import detects mitmproxy and SAZ files by content and counts skipped flows`()
        throws
    {
        let store = try SampleStore([])
        let flows = try write(
            flow("/one") + flow("/", type: "tcp") + flow("/two"), "x.har", store)
        let run = store.run("import", flows)
        #expect(run.code == 0)
        #expect(run.output == "imported 2 exchanges, 1 to 2; left out 1 TCP flow\n")
        #expect(run.errors == "")
        let other = store.run("import", try write(archive.file, "x.bin", store))
        #expect(other.output == "imported 1 exchange, 3\n")
        let listed = store.run("list", "--columns", "url,tags")
        #expect(
            listed.output == """
                http://a.test/one\trebuilt-head
                http://a.test/two\trebuilt-head
                http://a.test/saz\tmissing-time

                """)
    }

    @Test func `importing a damaged file keeps its complete exchanges and exits with 1`() throws {
        let store = try SampleStore([])
        let file = try write(flow("/one") + flow("/two").dropLast(9), "cut", store)
        let run = store.run("import", file)
        #expect(run.code == 1)
        #expect(run.output == "imported 1 exchange, 1; refused 1\n")
        #expect(run.errors == "proxyctl: \(file): flow 2: the file ends too early\n")
        let har =
            #"{"log":{"entries":[{"startedDateTime":"2024-01-01T00:00:00Z","request":"#
            + #"{"method":"GET","url":"http://a.test/har"},"response":{"status":204}},{"st"#
        let cut = store.run("import", try write(Array(har.utf8), "cut.har", store))
        #expect(cut.code == 1)
        #expect(cut.output == "imported 1 exchange, 2; refused 1\n")
    }

    @Test func `an import that rejects more than it imports exits with 1 and reports both counts`()
        throws
    {
        let store = try SampleStore([])
        func har(_ entries: String...) -> [UInt8] {
            Array(#"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
        }
        let good =
            #"{"startedDateTime":"2024-01-01T00:00:00Z","request":"#
            + #"{"method":"GET","url":"http://a.test/"},"response":{"status":204}}"#
        let most = store.run("import", try write(har(good, "{}", "{}"), "a.har", store))
        #expect(most.output == "imported 1 exchange, 1; refused 2\n")
        #expect(most.code == 1)
        let half = store.run("import", try write(har(good, "{}"), "b.har", store))
        #expect(half.output == "imported 1 exchange, 2; refused 1\n")
        #expect(half.code == 0)
    }

    @Test func `proxyctl import reads a HAR file inside a ZIP archive or in UTF-16`() throws {
        let store = try SampleStore([])
        let log =
            #"{"log":{"entries":[{"startedDateTime":"2024-01-01T00:00:00Z","request":"#
            + #"{"method":"GET","url":"http://a.test/","httpVersion":"h3"},"#
            + #""response":{"status":204}}]}}"#
        let wide: [UInt8] =
            [0xFF, 0xFE] + log.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        var archive = ZIPArchive()
        archive.add("har.har", Array(log.utf8))
        for (name, bytes) in [("har.zip", archive.file), ("wide.har", wide)] {
            let file = try write(bytes, name, store)
            #expect(store.run("import", file).code == 0)
            #expect(store.run("import", "--format", "har", file).code == 0)
        }
        let found = store.run("list", "proto=h3", "--columns", "url,http_version")
        #expect(
            found.output == String(repeating: "http://a.test/\tHTTP/3\n", count: 4))
    }

    @Test
    func `a HAR entry that is cut off in the middle of its WebSocket messages is not imported`()
        throws
    {
        let store = try SampleStore([])
        let entry = #"""
            {"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"GET",
            "url":"ws://a.test/"},"response":{"status":101},"_capture":{"id":1,
            "upgraded_to":"websocket"},"_webSocketMessages":[{"type":"send","data":"a","opcode":1}
            """#
        let har = #"{"log":{"entries":["# + entry
        let run = store.run("import", try write(Array(har.utf8), "cut.har", store))
        #expect(run.code == 1)
        #expect(run.output == "imported 0 exchanges; refused 1\n")
    }

    @Test
    func `proxyctl import --format overrides format detection, and fails if the format is wrong`()
        throws
    {
        let store = try SampleStore([])
        let file = try write(flow("/one"), "flows", store)
        #expect(store.run("import", "--format", "flows", file).code == 0)
        let wrong = store.run("import", "--format", "har", file)
        #expect(wrong.code == 1)
        #expect(wrong.errors.contains("it has no log.entries"))
        #expect(store.run("import", "--format", "chls", file).code == 64)
        #expect(store.run("import", "--tls-keys", "/dev/null", file).code == 64)
        let notArchive = store.run("import", "--format", "saz", file)
        #expect(notArchive.code == 1)
    }

    @Test func `proxyctl --file lists the exchanges of a SAZ archive`() throws {
        let store = try SampleStore([])
        let file = try write(archive.file, "a.saz", store)
        let run = CommandRun(["--file", file, "list", "--columns", "url,status"])
        #expect(run.code == 0)
        #expect(run.output == "http://a.test/saz\t204\n")
    }

    @Test func `importing a packet capture without tshark prints the command that installs it`()
        throws
    {
        let store = try SampleStore([])
        let file = try write([0x0A, 0x0D, 0x0D, 0x0A, 0, 0, 0, 0], "x.pcapng", store)
        let run = CommandRun(
            ["--data-dir", store.directoryPath, "import", file], runner: FakeRunner([:]))
        #expect(run.code == 1)
        #expect(run.errors.contains("apt install tshark"))
    }
}
