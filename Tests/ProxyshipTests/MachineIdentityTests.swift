import Foundation
import ProxydTestSupport
import Testing
@testable import proxyship

/// How a machine is told from one that has a copy of its disk.
@Suite struct MachineIdentityTests {
    /// The name of this machine by uname(2).
    private func nodeName() -> String {
        var names = utsname()
        uname(&names)
        return withUnsafeBytes(of: names.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The first line of a file, if it has one.
    private func line(_ path: String) -> String? {
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text?.split(separator: "\n", omittingEmptySubsequences: false).first
            .map { String($0).trimmingCharacters(in: .whitespaces) }
    }

    @Test func `proxyship uses the host name without its domain`() throws {
        let name = try #require(MachineIdentity.hostName())
        #expect(!name.isEmpty && !name.contains("."))
        #expect(nodeName() == name || nodeName().hasPrefix(name + "."))
    }

    @Test func `a machine is identified by its machine-id file, or else by its host name`() {
        let found = ["/etc/machine-id", "/var/lib/dbus/machine-id"].compactMap(line)
            .first { !$0.isEmpty }
        let name = MachineIdentity.hostName() ?? "unknown"
        #expect(MachineIdentity.fingerprint() == found.map { "machine:\($0)" } ?? "host:\(name)")
        #expect(MachineIdentity.fingerprint() == MachineIdentity.fingerprint())
    }

    @Test(arguments: [
        ("ci-1.test", "ci-1"), ("ci_1", "ci_1"), ("caf\u{E9}.test", "caf--"), ("a b:c", "a-b-c"),
        (".test", "test"), ("", nil), ("...", nil),
    ])
    func `a host name is converted to a valid store name if it has any usable characters`(
        host: String, name: String?
    ) {
        #expect(MachineIdentity.storeName(Array(host.utf8)) == name)
    }

    @Test func `a store name derived from a long host name is cut to 63 characters`() {
        let name = MachineIdentity.storeName([UInt8](repeating: 0x61, count: 64))
        #expect(name == String(repeating: "a", count: 63))
    }

    /// Gives the machine another name, for the program that follows alone.
    private static let renaming = [
        "/usr/bin/unshare", "--uts", "/usr/bin/python3", "-c",
        "import os, socket, sys; socket.sethostname(b'caf\\xe9.test'); "
            + "os.execv(sys.argv[1], sys.argv[1:])",
    ]

    private static let canRename: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--uts", "/usr/bin/python3", "-c", ""]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(
        .enabled(
            if: MachineIdentityTests.canRename, "this machine cannot be renamed for one program"))
    func `proxyship runs without crashing if the host name is not valid UTF-8`() throws {
        let scratch = try ScratchFolder()
        let file = try scratch.write(
            "ship.toml",
            "data_dir = '\(scratch.path)/data'\n[shipping]\nstore = 'postgresql:///d'\n")
        let run = try ProgramRun(
            ["--config", file, "--status"], through: MachineIdentityTests.renaming)
        #expect(run.status == 1)
        #expect(run.errors.contains("nothing has been captured yet"), "\(run.errors)")
    }
}
