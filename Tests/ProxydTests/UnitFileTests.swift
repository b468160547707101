import Foundation
import ProxydTestSupport
import Testing

private let analyzer = "/usr/bin/systemd-analyze"

/// What systemd itself says about the unit files.
@Suite(
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: analyzer),
        "systemd-analyze is not installed"
    )
)
struct UnitFileTests {
    @Test(arguments: ["proxyd.service", "proxyd.socket", "proxyship.service"])
    func `systemd-analyze verify reports no problem in the system units`(name: String) throws {
        let units = try UnitFolder()
        let result = try run([analyzer, "verify", units.path(name)])
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test(arguments: ["proxyd.service", "proxyship.service"])
    func `systemd-analyze rates the security exposure of each service at 2.0 or better`(
        name: String
    ) throws {
        let units = try UnitFolder()
        let result = try run([
            analyzer, "security", "--offline=yes", "--threshold=20",
            units.path(name),
        ])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(arguments: ["proxyd.service", "proxyship.service"])
    func `systemd-analyze verify reports no problem in the user units`(name: String) throws {
        let units = try UnitFolder()
        let result = try run(
            [analyzer, "--user", "verify", units.path("user/" + name)],
            environment: ["XDG_RUNTIME_DIR": units.root]
        )
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    private func run(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}

/// The units in a folder of their own, as they would be installed, but for programs that exist.
private final class UnitFolder {
    let root = NSTemporaryDirectory() + "units-\(UUID().uuidString)"

    init() throws {
        for name in [
            "proxyd.service", "proxyd.socket", "proxyship.service", "user/proxyd.service",
            "user/proxyship.service",
        ] {
            let text = try RepositoryFiles.text("systemd/" + name)
                .replacingOccurrences(of: "@BINDIR@/proxyd", with: "/bin/true")
                .replacingOccurrences(of: "@BINDIR@/proxyship", with: "/bin/true")
            let file = URL(fileURLWithPath: path(name))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }
}
