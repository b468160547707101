import Foundation
import ProxydTestSupport
import Testing

/// The screen of rules in a real terminal, beside a real daemon.
@Suite(.enabled(if: TerminalSession.isPossible, "tmux is not installed"))
struct TerminalRulesTests {
    private let data: ScratchFolder
    private let origin: ReplayOrigin
    private let daemon: Daemon
    private static let file =
        "# mine\n[[rule]]\nname = \"tea\"\nwhen = 'path=/tea'  # only it\n"
        + "request = [{ block = 418 }]\n"

    init() throws {
        data = try ScratchFolder()
        origin = try ReplayOrigin()
        try Self.file.write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        daemon = try Daemon(data: data)
    }

    private func status(_ path: String) throws -> String {
        try daemon.curl(
            "-o", "/dev/null", "-w", "%{http_code}", "http://\(origin.authority)\(path)"
        ).text
    }

    private var text: String {
        get throws { try String(contentsOfFile: data.path + "/rules.toml", encoding: .utf8) }
    }

    @Test
    func `the rules screen shows hits and can disable rules; an exchange can become a rule`()
        throws
    {
        #expect(try status("/coffee") == "200")
        _ = try daemon.rows(count: 1)
        let run = try TerminalRun(daemon)
        let terminal = run.terminal
        try terminal.type("L")
        try terminal.wait { $0.contains("tea") && $0.contains("path=/tea") }
        #expect(try status("/tea") == "418")
        // Hits come by themselves.
        try terminal.wait { $0.contains(#/tea +1 +1 +0 /#) }
        try terminal.press("Space")
        try terminal.wait(for: "tea is switched off")
        #expect(try status("/tea") == "200")
        #expect(try text.contains("enabled = false\nname = \"tea\"\nwhen = 'path=/tea'  # only it"))
        try terminal.type("qgA")
        try terminal.wait(for: "would have matched 1 exchange")
        try terminal.type("block 403")
        try terminal.press("Enter")
        try terminal.wait(for: "GET /coffee is added")
        #expect(try status("/coffee") == "403")
        #expect(try text.hasPrefix("# mine\n"))
        try run.leave()
    }

    @Test
    func `the terminal interface can answer requests from a file, and remove that rule again`()
        throws
    {
        #expect(try status("/page.txt") == "200")
        _ = try daemon.rows(count: 1)
        let run = try TerminalRun(daemon)
        let terminal = run.terminal
        try terminal.type("M")
        try terminal.wait(for: "page.txt")
        try terminal.press("Enter")
        try terminal.wait(for: "\" serves ")
        let saved = daemon.directory + "/served/page.txt"
        #expect(try String(contentsOfFile: saved, encoding: .utf8) == "ok")
        try "mine".write(toFile: saved, atomically: true, encoding: .utf8)
        #expect(try daemon.curl("http://\(origin.authority)/page.txt").text == "mine")
        let before = try text
        try terminal.type("Lt")
        try terminal.wait(for: "changes are temporary")
        try terminal.type("gd")
        try terminal.wait(for: "remove it until the daemon ends")
        try terminal.type("y")
        try terminal.wait(for: "removed: tea")
        #expect(try status("/tea") == "200")
        #expect(try text == before)
        try terminal.type("U")
        try terminal.wait { !$0.contains("removed: ") && $0.contains("tea") }
        #expect(try status("/tea") == "418")
        try run.leave()
    }

    @Test
    func `the exchange list and the rules screen show a mistake in the rules file with its line`()
        throws
    {
        let run = try TerminalRun(daemon)
        try "[[rule]]\nname = \"x\"\nrequest = [{ blok = 403 }]\n".write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        try run.terminal.wait(for: "rules.toml:3: unknown verb blok")
        try run.terminal.type("L")
        try run.terminal.wait { $0.contains("path=/tea") && $0.contains("stay in force") }
        try run.leave()
    }

    @Test func `without a running proxyd, the rules screen lists and edits the rules file`() throws
    {
        #expect(try status("/tea") == "418")
        _ = try daemon.rows(count: 1)
        let home = data.path + "/home"
        let folder = home + "/.config/proxyd"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Self.file.write(
            toFile: folder + "/rules.toml", atomically: true, encoding: .utf8)
        #expect(daemon.stop() == 0)
        let run = try TerminalRun(
            daemon, environment: ["HOME": home, "XDG_CONFIG_HOME": home + "/.config"])
        try run.terminal.type("L")
        try run.terminal.wait { $0.contains("path=/tea") && $0.contains("no daemon is running") }
        try run.terminal.press("Space")
        try run.terminal.wait(for: "tea is switched off; no daemon is running")
        let written = try String(contentsOfFile: folder + "/rules.toml", encoding: .utf8)
        #expect(written.contains("enabled = false"))
        #expect(try text == Self.file)
        try run.leave()
    }
}
