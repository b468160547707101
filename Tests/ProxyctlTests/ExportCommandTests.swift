import Capture
import Foundation
import ProxydHTTPModel
@testable import proxyctl
import ProxydTestSupport
import Testing

@Suite struct ExportCommandTests {
    private func mode(_ path: String) throws -> Int? {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        return (facts[.posixPermissions] as? NSNumber)?.intValue
    }

    private func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test func `proxyctl export --format har writes every exchange to standard output in order`()
        throws
    {
        let run = try SampleStore().run("export", "--format", "har")
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let document = try JSONSerialization.jsonObject(with: Data(run.bytes)) as? [String: Any]
        let log = try #require(document?["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        let entries = try #require(log["entries"] as? [[String: Any]])
        let captures = entries.compactMap { $0["_capture"] as? [String: Any] }
        #expect(captures.compactMap { $0["id"] as? Int } == [1, 2, 3, 4, 5, 6])
    }

    @Test
    func `in JSON Lines, an exported exchange is what show --json prints plus a _capture member`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("export", "--format", "jsonl", "id=2")
        #expect(run.lines.count == 1)
        var line = try #require(try store.objects(run).first)
        #expect(line.removeValue(forKey: "_capture") != nil)
        let shown = try #require(try store.objects(store.run("show", "2", "--json")).first)
        #expect(line as NSDictionary == shown as NSDictionary)
    }

    @Test func `proxyctl export writes the exchanges that match a filter, and fails if none match`()
        throws
    {
        let store = try SampleStore()
        #expect(store.run("export", "--format", "jsonl", "host=host.test").lines.count == 2)
        let nothing = store.run("export", "--format", "har", "host=nowhere")
        #expect(nothing.code == 1)
        #expect(nothing.bytes.isEmpty)
        #expect(nothing.errors == "proxyctl: nothing matched\n")
        #expect(store.run("export", "--format", "xml").code == 64)
        #expect(store.run("export").code == 64)
        #expect(store.run("export", "--format", "har", "status=").code == 64)
    }

    @Test
    func `proxyctl export creates files with mode 600 and keeps the old file if the export fails`()
        throws
    {
        let store = try SampleStore()
        let path = store.scratch.path + "/out.har"
        let run = store.run("export", "--format", "har", "--output", path)
        #expect(run.code == 0)
        #expect(run.output == "\(path): 6 exchanges\n")
        #expect(try mode(path) == 0o600)
        let first = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(first == Data(store.run("export", "--format", "har").bytes))
        // One that fails leaves what was there, and nothing beside it.
        #expect(store.run("export", "--format", "har", "--output", path, "host=no").code == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
        #expect(try names(store.scratch.path) == ["data", "out.har"])
        // One that succeeds takes its place.
        #expect(store.run("export", "--format", "har", "--output", path, "id=1").code == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != first)
        let missing = store.run("export", "--format", "har", "--output", "/nowhere/x.har")
        #expect(missing.code == 1)
        #expect(missing.errors == "proxyctl: /nowhere/x.har: No such file or directory\n")
    }

    @Test func `proxyctl export --output writes through symbolic links and to device files`() throws
    {
        let store = try SampleStore()
        let path = store.scratch.path + "/link.har"
        let target = try store.scratch.write("target.har", "old")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(store.run("export", "--format", "har", "--output", path).code == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("{\"log\""))
        #expect(store.run("export", "--format", "har", "--output", "/dev/null").code == 0)
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }

    @Test func `the HAR export of an empty store is a log without entries`() throws {
        let run = try SampleStore([]).run("export", "--format", "har")
        #expect(run.code == 0)
        #expect(run.errors == "proxyctl: nothing has been recorded yet\n")
        let document = try JSONSerialization.jsonObject(with: Data(run.bytes)) as? [String: Any]
        #expect((document?["log"] as? [String: Any])?["entries"] as? [Int] == [])
    }

    @Test
    func `proxyctl export redacts the named parameters and headers and reports parts it left out`()
        throws
    {
        let binary = SampleExchange.exchange(
            .get, SampleExchange.url("grpc.test", "/"),
            response: SampleExchange.response(
                200, [("Content-Type", "application/grpc")], [0, 1, 2]))
        let store = try SampleStore(SampleExchange.all + [binary])
        let run = store.run("export", "--format", "jsonl", "--redact", "host=grpc.test")
        #expect(
            run.errors == "proxyctl: left out 1 part that could not be searched for credentials\n")
        let login = store.run("export", "--format", "curl", "--redact-parameter", "user", "id=2")
        #expect(login.output.contains("user=REDACTED&token=REDACTED"))
        let header = store.run("export", "--format", "har", "--redact-header", "location", "id=2")
        #expect(header.output.contains(#"{"name":"Location","value":"REDACTED"}"#))
        #expect(header.output.contains(#""comment":"credentials were removed""#))
        #expect(store.run("export", "--format", "har", "--redact-header", "").code == 64)
    }

    @Test
    func `proxyctl export --format curl reports how many exchanges it cannot write as a command`()
        throws
    {
        let run = try SampleStore().run("export", "--format", "curl")
        #expect(run.code == 0)
        #expect(
            run.errors
                == "proxyctl: 3 exchanges could not be written as a command: see the comments\n")
        #expect(run.lines.filter { $0.hasPrefix("# no command: ") }.count == 3)
    }

    @Test func `the progress bar of an export is shown only on a terminal and erased at the end`()
        throws
    {
        let sink = MemorySink()
        var around = Environment(
            variables: [:], output: MemorySink(), errors: sink, isTerminal: false,
            userID: 1_000, runner: FakeRunner())
        var silent = ProgressBar("exporting", around)
        silent.show(0.5, "x", now: 0)
        silent.finish()
        #expect(sink.text.isEmpty)
        around.errorColumnCount = 60
        var bar = ProgressBar("exporting", around)
        bar.show(0.5, "7 exchanges", now: 0)
        bar.show(0.6, "8 exchanges", now: 99_999_999)
        bar.finish()
        #expect(sink.text.hasPrefix("\r\u{1B}[Kexporting  [#####"))
        #expect(sink.text.contains("50 %  7 exchanges"))
        #expect(!sink.text.contains("8 exchanges"))
        #expect(sink.text.hasSuffix("\r\u{1B}[K"))
        for columns in 1...120 {
            let line = ProgressBar.line("exporting", 0.999, "1 exchange", columnCount: columns)
            #expect(line.count < columns)
        }
        #expect(ProgressBar.line("x", nil, "y", columnCount: 80) == "x  y")
        #expect(ProgressBar.line("x", .nan, "y", columnCount: 9) == "x  0 %  y".prefix(8))
    }
}
