import Foundation
import ProxydProcessSetup
import ProxydTestSupport
import Testing

/// What the commands that read print of every kind of exchange, in golden files.
@Suite struct OutputGoldenTests {
    private static let commands: [(name: String, arguments: [String], columns: Int?)] = [
        ("list", ["list", "--columns", "id,method,host,path,status,response_body_bytes"], nil),
        (
            "list-terminal",
            ["list", "--columns", "id,method,host,path,status,response_body_bytes"], 100
        ),
        ("list-json", ["list", "--json"], nil),
        ("export-curl", ["export", "--format", "curl"], nil),
        ("export-jsonl", ["export", "--format", "jsonl"], nil),
        ("export-har", ["export", "--format", "har"], nil),
    ]

    @Test func `the output of proxyctl list and proxyctl export equals the golden files`() throws {
        let store = try SampleStore()
        for command in Self.commands {
            let run = CommandRun(
                ["--data-dir", store.directoryPath] + command.arguments, columns: command.columns)
            try Self.expect(run, command.name)
        }
    }

    @Test func `the output of proxyctl show for every kind of exchange equals the golden files`()
        throws
    {
        let store = try SampleStore()
        for id in SampleExchange.all.indices.map({ String($0 + 1) }) {
            for options in [[], ["--json"], ["--raw"]] {
                let run = CommandRun(["--data-dir", store.directoryPath, "show", id] + options)
                try Self.expect(run, "show-\(id)" + options.joined())
            }
        }
    }

    private static func expect(_ run: CommandRun, _ name: String) throws {
        // The same files for every version.
        let output = run.output.replacing(
            #""proxyd","version":"\#(ProgramVersion.number)""#, with: #""proxyd","version":"N""#)
        let found = "exit \(run.code)\n" + output + run.errors
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name).txt")
        let wanted = try GoldenFile.wanted(at: url, found: found)
        #expect(found == wanted, "\(name)")
    }
}
