import Foundation
import ProxydTestSupport
import Testing

/// `--file`: a file that is looked into without being imported.
@Suite(.serialized) struct FileOptionTests {
    private let scratch: ScratchFolder
    private let store: SampleStore

    init() throws {
        scratch = try ScratchFolder()
        store = try SampleStore()
    }

    private func export(_ format: String) -> String {
        let path = scratch.path + "/out.\(format)"
        #expect(store.run("export", "--format", format, "--output", path).code == 0)
        return path
    }

    private func folders() throws -> Set<String> {
        let folder = FileManager.default.temporaryDirectory.path
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasPrefix("proxyctl-file-\(getpid())-") })
    }

    @Test(arguments: ["har", "jsonl"])
    func `with --file, proxyctl list, show, sql and export read HAR or JSON Lines like a store`(
        format: String
    ) throws {
        let file = export(format)
        let wanted = store.run("list", "--columns", "id,method,url").lines
        let list = CommandRun(["--file", file, "list", "--columns", "id,method,url"])
        #expect(list.code == 0)
        // HAR has no place for requests that could not be parsed.
        #expect(list.lines.count >= 4 && list.lines.prefix(3) == wanted.prefix(3))
        #expect(CommandRun(["show", "2", "--file", file]).output.hasPrefix("#2  POST https://"))
        let count = CommandRun(["--file", file, "sql", "select count(*) from exchanges"])
        #expect(count.output.contains("\(list.lines.count)"))
        let again = CommandRun(["--file", file, "export", "--format", "curl"])
        #expect(again.code == 0)
        #expect(again.output.hasPrefix("# 1 GET http://host.test/search"))
    }

    @Test func `proxyctl --file leaves no temporary folder behind, even for an invalid file`()
        throws
    {
        let file = try scratch.write("bad.har", "{\"log\":{\"entries\":[]}}")
        let run = CommandRun(["--file", file, "list"])
        #expect(run.code == 1)
        #expect(run.errors.contains("has no exchanges"))
        #expect(CommandRun(["--file", scratch.path + "/none", "list"]).errors.contains("No such"))
        #expect(CommandRun(["--file", export("har"), "list"]).code == 0)
        #expect(try folders() == [])
    }

    @Test func `proxyctl --file without a command fails if there is no terminal`() {
        let run = CommandRun(["--file", export("har")])
        #expect(run.code == 1 && run.errors.contains("needs a terminal"), "\(run.errors)")
    }

    @Test
    func `proxyctl --file deletes the temporary folder of an earlier process that was killed`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.path
        let abandoned = folder + "/proxyctl-file-2147483646-x"
        try FileManager.default.createDirectory(
            atPath: abandoned, withIntermediateDirectories: true)
        #expect(CommandRun(["--file", export("har"), "list"]).code == 0)
        #expect(!FileManager.default.fileExists(atPath: abandoned))
    }

    @Test func `proxyctl rule test --file reads a rule file, not a file of captured exchanges`()
        throws
    {
        let rules = try scratch.write("rules.toml", "[[rule]]\nname = \"a\"\nwhen = 'bad('\n")
        let run = store.run("rule", "test", "--file", rules)
        #expect(run.code == 78)
        #expect(run.errors.contains("rules.toml:3"), "\(run.errors)")
    }

    @Test func `proxyctl reports a missing file name or an unknown command after --file`() {
        #expect(CommandRun(["--file"]).errors.contains("Missing value for '--file"))
        let run = CommandRun(["--file", "x.har", "lsit"])
        #expect(run.code == 64 && run.errors.contains("did you mean list"), "\(run.errors)")
    }

    @Test func `proxyctl clear rejects --file, and --file cannot be combined with --data-dir`()
        throws
    {
        let run = CommandRun(["--file", export("har"), "clear", "--yes"])
        #expect(run.code == 64)
        #expect(run.errors.contains("--file works only with the interface, list, show"))
        let both = CommandRun(["--data-dir", scratch.path, "--file", "x.har", "list"])
        #expect(both.code == 64)
        #expect(both.errors.contains("cannot be combined"))
    }
}
