import Foundation
import ProxydTestSupport
import Testing

/// The scripts, with a stand-in for the Swift toolchain.
struct ScriptTests {
    @Test(arguments: ["run", "test", "build"])
    func `without Swift, the run, test and build scripts fail and print how to install it`(
        script: String
    ) throws {
        let stage = try Stage(swift: nil)
        let result = try stage.run(script, path: stage.bin)
        #expect(result.status == 1)
        #expect(result.output.contains("Swift 6.2 or later is needed, found: none"))
        let commands = result.output.split(separator: "\n").filter { $0.hasPrefix("    ") }
        #expect(commands.count == 1)
        #expect(commands.first?.contains("swiftly init") == true)
    }

    @Test(arguments: [("6.1.3", 1), ("5.10", 1), ("6.2", 0), ("6.10.1", 0), ("7.0", 0)])
    func `the install-dependencies script rejects a Swift version that is too old`(
        version: String, status: Int32
    ) throws {
        let stage = try Stage(swift: version)
        // Without dpkg-query the script ends after it has looked at Swift.
        let result = try stage.run("install-dependencies", path: stage.bin)
        #expect(result.status == status)
        #expect(result.output.contains("found: \(version).") == (status == 1))
    }

    @Test func `the install-dependencies script exits with 64 for an unknown option`() throws {
        let stage = try Stage(swift: "6.2")
        #expect(try stage.run("install-dependencies", ["--tests"], path: stage.bin).status == 64)
    }

    @Test
    func `install copies programs, units and configuration, and uninstall keeps the configuration`()
        throws
    {
        let stage = try Stage(swift: "6.2")
        let places = ["DESTDIR": stage.root + "/dest", "PREFIX": "/opt/proxyd"]
        let installed = try stage.run("install", path: stage.bin, environment: places)
        try #require(installed.status == 0, "\(installed.output)")
        let prefix = stage.root + "/dest/opt/proxyd"
        let configuration = stage.root + "/dest/etc/proxyd/proxyd.toml"
        for program in ["proxyd", "proxyctl", "proxyship"] {
            #expect(FileManager.default.isExecutableFile(atPath: "\(prefix)/bin/\(program)"))
        }
        let unit = try text(prefix + "/lib/systemd/system/proxyd.service")
        #expect(unit.contains("ExecStart=/opt/proxyd/bin/proxyd\n"))
        #expect(!unit.contains("@BINDIR@"))
        #expect(try text(configuration) == RepositoryFiles.text("config/proxyd.toml"))
        #expect(
            try text(stage.root + "/dest/etc/proxyd/proxyship.toml")
                == RepositoryFiles.text("config/proxyship.toml"))

        try Data("log_level = \"debug\"\n".utf8).write(to: URL(fileURLWithPath: configuration))
        #expect(try stage.run("install", path: stage.bin, environment: places).status == 0)
        #expect(try stage.run("uninstall", path: stage.bin, environment: places).status == 0)
        #expect(try text(configuration) == "log_level = \"debug\"\n")
        let left = FileManager.default.subpaths(atPath: prefix)?.filter { $0.contains(".") }
        #expect(left?.filter { !$0.hasSuffix(".d") } == [])
    }

    /// What proxyd does in these tests: it says so, and runs until it is ended.
    private func listens(_ stage: Stage) -> String {
        "echo listening; : >'\(stage.root)/started'; while :; do sleep 0.01; done"
    }

    @Test(.timeLimit(.minutes(1)))
    func `make run starts proxyd, then builds proxyctl, then prints the next command to type`()
        throws
    {
        let stage = try Stage(swift: "6.2")
        try stage.addProgram("../built/proxyd", listens(stage))
        stage.whenBuilding = """
            *'--product proxyctl'*) until [ -e '\(stage.root)/started' ]; do sleep 0.01; done ;;
            """
        let next = "run: proxyctl is built. In another terminal, type: "
        let result = try stage.run("run", path: stage.bin, endedAfter: next)
        #expect(result.status == SIGTERM)
        let proxyctl = RepositoryFiles.root.path + "/.build/release/proxyctl\n"
        #expect(result.output.contains("listening\n"))
        #expect(result.output.hasSuffix(next + proxyctl))
    }

    @Test(.timeLimit(.minutes(1)))
    func `make run keeps proxyd running if proxyctl cannot be built, and says so`() throws {
        let stage = try Stage(swift: "6.2")
        try stage.addProgram("../built/proxyd", listens(stage))
        stage.whenBuilding = "*'--product proxyctl'*) echo 'error: no such thing'; exit 1 ;;"
        let result = try stage.run("run", path: stage.bin, endedAfter: "proxyd goes on\n")
        #expect(result.status == SIGTERM)
        #expect(result.output.contains("listening\n"))
        #expect(result.output.contains("error: no such thing\nrun: proxyctl could not be built;"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `make run stops building proxyctl if proxyd cannot start`() throws {
        let stage = try Stage(swift: "6.2")
        let building = stage.root + "/building"
        try stage.addProgram(
            "../built/proxyd",
            "until [ -e '\(building)' ]; do sleep 0.01; done; echo cannot listen; exit 3")
        stage.whenBuilding =
            "*'--product proxyctl'*) : >'\(building)'; while :; do sleep 0.01; done ;;"
        let result = try stage.run("run", path: stage.bin)
        #expect(result.status == 3)
        #expect(result.output.hasSuffix("cannot listen\n"))
    }

    @Test func `make run shows the compiler's error if proxyd cannot be built`() throws {
        let stage = try Stage(swift: "6.2")
        stage.whenBuilding = "*'--product proxyd'*) echo 'error: no such thing'; exit 1 ;;"
        let result = try stage.run("run", path: stage.bin)
        #expect(result.status == 1)
        #expect(result.output.hasSuffix("error: no such thing\n"))
    }

    @Test(arguments: [
        (["--filter", "HTTPWireTests"], "HTTPWireTests"),
        (["--filter=^TLSTests\\.", "--skip", "ControlTests"], "TLSTests"),
        (["--filter", "^EndToEndTests\\.(FleetKillTests|FleetTrustTests)/"], "EndToEndTests"),
        (["--filter", "BrowserRulesTests"], "TLSTests"),
        (["--filter", "FilterLawTests/`and, or and not are those of sets`"], "FilterTests"),
        (["--filter", "TUITests", "--filter", "UsersTests"], "TUITests UsersTests"),
        // All: these name nothing that can be seen from the sources, or leave something out.
        (["--filter", "no test has this name"], ""), (["--filter", "("], ""),
        (["--skip", "TUITests"], ""), ([], ""), (["--filter", "tokens\\(\\)"], ""),
        (["--filter", "^(TUITests\\.Themes|UsersTests\\.)"], "TUITests UsersTests"),
    ])
    func `scripts/test builds only the targets that its filters name`(
        arguments: [String], targets: String
    ) throws {
        let stage = try Stage(swift: "6.2")
        stage.whenBuilding = "*--build-tests*) echo \"building <$PROXYD_TEST_TARGETS>\" ;;"
        let result = try stage.run("test", arguments, path: stage.bin)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("building <\(targets)>\n"), "\(result.output)")
    }

    @Test(arguments: [
        ["TUITests"], ["--filter"], ["-Xswiftc", "-O"], ["--specifier", "TUITests"],
    ])
    func `scripts/test rejects arguments that would make it run every test`(arguments: [String])
        throws
    {
        let stage = try Stage(swift: "6.2")
        let result = try stage.run("test", arguments, path: stage.bin)
        #expect(result.status == 64)
        #expect(result.output.hasPrefix("test: usage: scripts/test "))
    }

    @Test
    func `scripts/test without filters fails if PROXYD_TEST_TARGETS is set in the environment`()
        throws
    {
        let stage = try Stage(swift: "6.2")
        let result = try stage.run(
            "test", path: stage.bin, environment: ["PROXYD_TEST_TARGETS": "TidyTests"])
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("test: PROXYD_TEST_TARGETS is set:"))
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }
}

/// A folder with the few programs the scripts may use, and a Swift that only says its version.
private final class Stage {
    let root = NSTemporaryDirectory() + "scripts-\(UUID().uuidString)"
    /// What Swift does when it builds: a pattern of its arguments and commands, as in the shell's
    /// `case`.
    var whenBuilding = ""
    var bin: String { root + "/bin" }

    init(swift version: String?) throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: bin, withIntermediateDirectories: true)
        let tools = [
            "awk", "bash", "dirname", "find", "grep", "install", "mktemp", "rm", "rmdir", "sed",
            "setsid", "sleep", "sort", "tail", "tee", "timeout", "tr",
        ]
        for tool in tools {
            let folder = ["/usr/bin", "/bin"].first {
                manager.isExecutableFile(atPath: "\($0)/\(tool)")
            }
            try manager.createSymbolicLink(
                atPath: "\(bin)/\(tool)",
                withDestinationPath: "\(try #require(folder))/\(tool)"
            )
        }
        guard let version else { return }
        try addProgram(
            "swift",
            """
            case "$*" in
                --version) echo "Swift version \(version) (swift-\(version)-RELEASE)" ;;
                *--show-bin-path) echo '\(root)/built' ;;
                *) arguments=$*; eval 'case "$arguments" in '"$WHEN_BUILDING"' esac' ;;
            esac
            """
        )
        try manager.createDirectory(atPath: root + "/built", withIntermediateDirectories: true)
        for program in ["proxyd", "proxyctl", "proxyship"] {
            try addProgram("../built/" + program, ":")
        }
        try addProgram("../built/proxydPackageTests.xctest", ":")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func addProgram(_ name: String, _ body: String) throws {
        try ShellProgram.make(body, at: "\(bin)/\(name)")
    }

    func run(
        _ script: String,
        _ arguments: [String] = [],
        path: String,
        environment: [String: String] = [:],
        endedAfter end: String? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments =
            [RepositoryFiles.root.appendingPathComponent("scripts/\(script)").path] + arguments
        process.environment = environment.merging(
            ["PATH": path, "HOME": root, "WHEN_BUILDING": whenBuilding]
        ) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        var output = Data()
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
            output += more
            if let end, output.range(of: Data(end.utf8)) != nil { process.terminate() }
        }
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
