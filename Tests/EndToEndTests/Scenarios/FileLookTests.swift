import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl --file`: a file is looked into, nothing is changed by it, and nothing of it stays.
struct FileLookTests {
    private let scratch: ScratchFolder
    private let file: String

    /// A file that is larger than a pipe, so that who writes it out waits for its reader.
    init() throws {
        scratch = try ScratchFolder()
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "ProxyctlTests/Golden/export-jsonl.txt")
        let lines = try String(contentsOf: golden, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("{") }.joined(separator: "\n")
        let many = [String](repeating: lines, count: 100).joined(separator: "\n")
        try #require(many.utf8.count > 256 << 10)
        file = try scratch.write("many.jsonl", many)
    }

    private func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path)
            .filter { $0.hasPrefix("proxyctl-file-") }
    }

    private func waitUntilGone() throws {
        try Eventually.isTrue(orFail: "these stay: \(try folders())") { try folders().isEmpty }
    }

    @Test func `the temporary copy made by proxyctl --file is removed when the command is killed`()
        throws
    {
        let export = try Service(
            Tool.built("proxyctl"), ["--file", file, "export", "--format", "jsonl"],
            environment: ["TMPDIR": scratch.path])
        _ = try export.readLine()
        #expect(try folders().count == 1)
        export.signal(SIGKILL)
        _ = export.waitForExit()
        try waitUntilGone()
    }

    @Test(.enabled(if: TerminalSession.isPossible, "tmux is not installed"))
    func `with --file, the terminal interface cannot change rules and leaves no temporary files`()
        throws
    {
        let configuration = scratch.path + "/config/proxyd"
        try FileManager.default.createDirectory(
            atPath: configuration, withIntermediateDirectories: true)
        let rules = "[[rule]]\nname = \"own\"\nrequest = [{ block = 418 }]\n"
        try rules.write(
            toFile: configuration + "/rules.toml", atomically: true, encoding: .utf8)
        do {
            let terminal = try TerminalSession(environment: [
                "TMPDIR": scratch.path, "XDG_CONFIG_HOME": scratch.path + "/config",
            ])
            try terminal.type("\(Tool.built("proxyctl")) --file \(file)")
            try terminal.press("Enter")
            try terminal.wait("the list") { $0.contains("Enter open") && $0.contains("#600") }
            #expect(try folders().count == 1)
            try terminal.type("p")
            try terminal.wait(for: "nothing can be changed here")
            try terminal.type("L")
            try terminal.wait(for: "there are no rules here")
            try terminal.press("Space")
        }
        // The session was killed with the program in it.
        try waitUntilGone()
        #expect(
            try String(contentsOfFile: configuration + "/rules.toml", encoding: .utf8) == rules)
    }
}
