import Foundation
import ProxydProcessSetup
@testable import proxyctl
import Testing

@Suite struct UsageTests {
    @Test(arguments: [
        ["dance"], ["list", "--nonsense"], ["show"], ["show", "x"], ["show", "ci-17:"],
        ["show", ":7"], ["show", "1", "--last"],
        ["messages", "ci-17:x"], ["mark", "--pin"], ["replay", "x"], ["rule", "map", "x"],
        ["list", "--limit", "many"],
        ["list", "--limit", "-1"], ["mark", "1"], ["mark", "1", "--pin", "--unpin"],
        ["mark", "1", "--tag", ""], ["clear"], ["sql"], ["ca", "export"], ["--data-dir"],
    ])
    func `for wrong usage, proxyctl exits with 64 and a message on standard error`(
        arguments: [String]
    ) {
        let run = CommandRun(arguments, environment: ["HOME": "/nowhere"])
        #expect(run.code == 64)
        #expect(!run.errors.isEmpty)
        #expect(run.bytes.isEmpty)
    }

    @Test(arguments: [
        ["--help"], ["list", "--help"], ["ca", "doctor", "--help"], ["help", "show"],
    ])
    func `when asked for help, proxyctl prints it to stdout and exits with 0`(arguments: [String]) {
        let run = CommandRun(arguments)
        #expect(run.code == 0)
        #expect(run.output.contains("USAGE"))
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: [
        (["lsit"], "did you mean list?"), (["--data-dir", "/x", "exprot", "--json"], "export?"),
        (["--theme", "light", "lsit"], "did you mean list?"),
        (["ca", "docter"], "did you mean ca doctor?"), (["help", "sohw"], "did you mean show?"),
        (["Status"], "did you mean status?"), (["help", "ca", "pth"], "did you mean ca path?"),
        (["dance"], "see proxyctl --help"), (["ca", "dance"], "see proxyctl ca --help"),
    ])
    func `for an unknown command, proxyctl suggests a similar command or --help`(
        arguments: [String], hint: String
    ) {
        let run = CommandRun(arguments, environment: ["HOME": "/nowhere"])
        #expect(run.code == 64)
        #expect(run.errors.hasPrefix("proxyctl: there is no command"))
        #expect(run.errors.contains(hint), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func `an invalid option or argument is not reported as an unknown command`() {
        for arguments in [
            ["list", "--jsom"], ["show", "lits"], ["--data-dir"], ["--jsom"],
            ["--theme", "lihgt"], ["--theme", "light", "list", "--bad"],
            ["--theme", "dark", "--data-dir", "/x", "list", "--bad"],
        ] {
            let run = CommandRun(arguments, environment: ["HOME": "/nowhere"])
            #expect(run.code == 64)
            #expect(!run.errors.contains("there is no command"), "\(run.errors)")
        }
    }

    @Test func `proxyctl's own list of global options that take a value is complete`() throws {
        let run = CommandRun(["--experimental-dump-help"])
        let dump = try JSONSerialization.jsonObject(with: Data(run.bytes)) as? [String: Any]
        let command = try #require(dump?["command"] as? [String: Any])
        let arguments = try #require(command["arguments"] as? [[String: Any]])
        let names = arguments.filter { $0["kind"] as? String == "option" }
            .flatMap { $0["names"] as? [[String: Any]] ?? [] }
            .compactMap { $0["name"] as? String }
        #expect(names.contains("theme"))
        #expect(Set(names.map { "--" + $0 }) == Proxyctl.valueOptions)
    }

    @Test func `the error message for an unknown command contains no escape characters`() {
        let run = CommandRun(["li\u{1B}[31mst"])
        #expect(run.code == 64)
        #expect(!run.errors.contains("\u{1B}"))
    }

    @Test func `proxyctl --version prints the version number`() {
        let run = CommandRun(["--version"])
        #expect(run.code == 0)
        #expect(run.output == "proxyctl \(ProgramVersion.number)\n")
        #expect(run.output.contains(/^proxyctl [0-9]+\.[0-9]+\.[0-9]+\n$/))
    }

    @Test func `proxyctl accepts --data-dir before and after the command`() throws {
        let store = try SampleStore()
        let path = store.directoryPath
        for arguments in [["--data-dir", path, "list"], ["list", "--data-dir", path]] {
            #expect(CommandRun(arguments).lines.count == 6)
        }
    }

    @Test
    func `without --data-dir, the data directory comes from PROXYD_DATA_DIR or the home directory`()
        throws
    {
        let store = try SampleStore()
        let environments = [
            ["PROXYD_DATA_DIR": store.directoryPath, "HOME": "/nowhere"]
        ]
        for environment in environments {
            #expect(CommandRun(["list"], environment: environment).lines.count == 6)
        }
        let other = CommandRun(["list"], environment: ["HOME": "/nowhere"])
        #expect(other.code == 1)
        #expect(other.errors.contains("/nowhere/.local/share/proxyd"))
        #expect(CommandRun(["list"]).code == 1)
    }
}
