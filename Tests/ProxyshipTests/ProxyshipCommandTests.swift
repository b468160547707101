import ArgumentParser
import Capture
import Foundation
import ProxydCaptureModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import proxyship

/// How the program is called, and how it ends.
@Suite struct ProxyshipCommandTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func parsed<Command>(
        _ arguments: [String], as type: Command.Type = Command.self
    ) throws -> Command {
        let command = try ProxyshipCommand.parseAsRoot(arguments)
        return try #require(command as? Command)
    }

    // MARK: Arguments

    @Test func `without arguments, proxyship's --config is not set and all of its flags are off`()
        throws
    {
        let command = try parsed([], as: ProxyshipCommand.self)
        #expect(command.configuration.config == nil)
        #expect(!command.once && !command.status && !command.newIdentity)
    }

    @Test func `proxyship parses --once, --status, --new-identity and --config`() throws {
        let command = try parsed(
            ["--once", "--status", "--new-identity", "--config", "/c"], as: ProxyshipCommand.self)
        #expect(command.configuration.config == "/c")
        #expect(command.once && command.status && command.newIdentity)
    }

    @Test func `proxyship init parses its team, store, retention and print options`() throws {
        let command = try parsed(
            [
                "init", "--team", "web", "--store", "postgresql:///d", "--retention-age-days",
                "36500", "--print",
            ], as: InitCommand.self)
        #expect(command.team == "web")
        #expect(command.store == "postgresql:///d")
        #expect(command.retentionAgeDays == 36_500)
        #expect(command.printsOnly)
        let usual = try parsed(["init", "--team", "web"], as: InitCommand.self)
        #expect(!usual.printsOnly)
    }

    @Test func `proxyship index parses its --day options and its --drop flag`() throws {
        let command = try parsed(
            ["index", "--day", "2026-11-26", "--day", "2026-02-28", "--drop"],
            as: IndexCommand.self)
        #expect(command.day == ["2026-11-26", "2026-02-28"])
        #expect(command.store == nil)
        #expect(command.drop)
    }

    @Test func `proxyship's init and index subcommands accept --config`() throws {
        let made = try parsed(["init", "--team", "web", "--config", "/c"], as: InitCommand.self)
        #expect(made.configuration.config == "/c")
        let indexed = try parsed(
            ["index", "--config", "/c", "--day", "2026-11-26"], as: IndexCommand.self)
        #expect(indexed.configuration.config == "/c")
    }

    @Test(arguments: [
        ["--nonsense"], ["dance"], ["--config"], ["--once=yes"], ["init"], ["init", "--team"],
        ["init", "--team", "web", "--retention-age-days", "0"],
        ["init", "--team", "web", "--retention-age-days", "36501"],
        ["init", "--team", "web", "--retention-age-days", "soon"],
        ["init", "web"], ["index"], ["index", "--day"], ["index", "2026-11-26"],
        ["serve", "--stdio"], ["serve", "--stdio", "a", "b"],
    ])
    func `proxyship's exit code for invalid arguments is 64`(arguments: [String]) {
        let error = #expect(throws: (any Error).self) {
            try ProxyshipCommand.parseAsRoot(arguments)
        }
        #expect(error.map { ProxyshipCommand.exitCode(for: $0).rawValue } == 64)
    }

    @Test(arguments: [
        "2026-11-6", "26-11-2026", "2026/11/26", "2026-11-26 ", "20261126", "2026-11-26-01",
        "2026-11-26'; DROP TABLE exchange; --", "2026-11-2\u{0666}", "yesterday", "-026-11-26",
    ])
    func `proxyship index rejects a malformed day, even next to a valid one`(day: String) {
        for arguments in [["--day=\(day)"], ["--day", "2026-11-26", "--day=\(day)"]] {
            let error = #expect(throws: (any Error).self) {
                try ProxyshipCommand.parseAsRoot(["index"] + arguments)
            }
            let message = error.map { ProxyshipCommand.message(for: $0) }
            #expect(message == "--day takes a day such as 2026-11-26")
        }
    }

    // MARK: Ends

    @Test func `proxyship --version prints the versions of proxyship, libpq and SQLite`() throws {
        let run = try ProgramRun(["--version"])
        #expect(run.status == 0)
        #expect(
            run.output.contains(
                /^proxyship [0-9.]+\nlibpq [0-9]+\.[0-9]+\nSQLite [0-9.]+\n$/))
    }

    @Test func `proxyship reports every mistake in its configuration and exits with code 78`()
        throws
    {
        let file = try scratch.write("ship.toml", "[shipping]\nname = 'a b'\n")
        let run = try ProgramRun(["--config", file])
        #expect(run.status == 78)
        #expect(run.output.isEmpty)
        #expect(
            run.errors
                == "proxyship: \(file):1: shipping.store is missing\nproxyship: \(file):2: "
                + "shipping.name: expected letters, digits, dots, hyphens and underscores\n")
    }

    @Test
    func `proxyship exits with 78 and does not print the password if its configuration has one`()
        throws
    {
        let file = try scratch.write(
            "ship.toml",
            "data_dir = '/nowhere'\n[shipping]\nstore = 'postgresql://u:hunter2@h/d'\n")
        let run = try ProgramRun(["--config", file, "--status"])
        #expect(run.status == 78)
        #expect(run.errors.hasPrefix("proxyship: shipping.store: the URI contains a password;"))
        #expect(!run.errors.contains("hunter2"))
    }

    @Test func `without HOME, proxyship requires data_dir in its configuration`() throws {
        let file = try scratch.write("ship.toml", "[shipping]\nstore = 'postgresql:///d'\n")
        let run = try ProgramRun(["--config", file])
        #expect(run.status == 78)
        #expect(run.errors == "proxyship: data_dir: missing, and HOME is not set\n")
    }

    // MARK: The SQL of init

    @Test func `proxyship init --print prints the SQL that creates a team`() throws {
        let run = try ProgramRun(
            ["init", "--team", "web_2", "--retention-age-days", "7", "--print"])
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        #expect(run.output.hasPrefix("BEGIN;\n"))
        #expect(run.output.contains("\nCREATE SCHEMA IF NOT EXISTS \"web_2\";\n"))
        #expect(
            run.output.hasSuffix("\nUPDATE shipper SET retention_age_days = 7;\nCOMMIT;\n"))
    }

    @Test(arguments: [
        "Web", "2web", "", "web team", "public", "pg_web", "w\u{E9}b", "a\"; DROP SCHEMA b; --",
        String(repeating: "w", count: 41),
    ])
    func `proxyship init rejects team names that are reserved, too long or need SQL quoting`(
        team: String
    ) throws {
        let run = try ProgramRun(["init", "--team", team, "--print"])
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(
            run.errors.contains("a team is named by lower-case letters, digits and underscores"))
    }
}

/// One run of the built program, with nothing on standard input.
struct ProgramRun {
    let status: Int32
    let bytes: [UInt8]
    let errors: String

    var output: String { String(decoding: bytes, as: UTF8.self) }

    /// Runs `proxyship` in an environment without a home; through a command line that ends with
    /// the program and its arguments if there is one.
    init(_ arguments: [String], through other: [String] = []) throws {
        let scratch = try ScratchFolder()
        let (output, errors) = (try scratch.file("out"), try scratch.file("err"))
        let process = Process()
        let line = other + [try BuiltProgram.path("proxyship")] + arguments
        process.executableURL = URL(fileURLWithPath: line[0])
        process.arguments = Array(line.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.filter { name, _ in
            name != "HOME" && !["PG", "XDG_", "PROXYD_"].contains { name.hasPrefix($0) }
        }
        process.standardInput = FileHandle.nullDevice
        // Files, not pipes: whatever the program prints, it can never block.
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.runWithSignals()
        process.waitUntilExit()
        status = process.terminationStatus
        bytes = try scratch.content(of: "out")
        self.errors = String(decoding: try scratch.content(of: "err"), as: UTF8.self)
    }
}

/// What `--status` says without a server.
@Suite struct StatusReportTests {
    private let store = TemporaryStore()
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func status() throws -> ProgramRun {
        let file = try scratch.write(
            "ship.toml",
            """
            data_dir = "\(store.directory.path)"
            [shipping]
            store = "postgresql://u@/d?host=\(scratch.path)"
            name = "ci-9"
            """)
        return try ProgramRun(["--config", file, "--status"])
    }

    @Test
    func `proxyship --status reports waiting exchanges even if the central store is unreachable`()
        throws
    {
        let recorder = try store.recorder()
        for number in 0..<3 { recorder.recordSample("/\(number)") }
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: 1, changesThrough: 0))
        recorder.stop()
        let run = try status()
        #expect(run.status == 1)
        #expect(
            run.output == """
                store      \(store.directory.path)
                name       ci-9
                waiting    2
                lost       0
                central    not reachable

                """)
        #expect(run.errors.hasPrefix("proxyship: central store: "))
        #expect(run.errors.contains("\(scratch.path)/.s.PGSQL.5432"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func `proxyship --status fails with a message if nothing has been captured yet`() throws {
        let run = try status()
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(
            run.errors
                == "proxyship: \(store.directory.storePath) is missing or empty: nothing has been "
                + "captured yet\n")
    }
}
