import Foundation
import ProxydTestSupport
import Testing

/// Replay, editing and export in the terminal interface, in a real terminal beside a real daemon.
@Suite(
    .enabled(if: TerminalSession.isPossible, "tmux is not installed"), .timeLimit(.minutes(10)))
struct TerminalReplayTests {
    private let origin: ReplayOrigin
    private let daemon: Daemon

    init() throws {
        origin = try ReplayOrigin()
        daemon = try Daemon()
    }

    /// Sends a request through the proxy; what the origin got.
    private func capture(_ path: String, _ arguments: String...) throws -> String {
        let url = "http://\(origin.authority)\(path)"
        _ = try daemon.run(
            try #require(Tool.find("curl")),
            ["-sS", "--max-time", "60", "-o", "/dev/null", "-x", daemon.url] + arguments + [url])
        return try origin.nextRequest()
    }

    @Test func `an exchange can be filtered, opened and replayed in the terminal interface`() throws
    {
        _ = try capture("/first")
        let sent = try capture("/gone", "-H", "X-Odd:  a")
        _ = try daemon.rows(count: 2)
        let run = try TerminalRun(daemon)
        try run.terminal.type("/path=/gone")
        try run.terminal.wait(for: "1 match")
        try run.terminal.press("Enter")
        try run.terminal.wait { $0.contains("/gone") && !$0.contains("/first") }
        try run.terminal.press("Enter")
        try run.terminal.wait(for: "Overview")
        try run.terminal.type("r")
        let comparison = try run.terminal.wait(for: "body same")
        #expect(comparison.contains("status 200 → 410"))
        #expect(try origin.nextRequest() == sent)
        let replay = try daemon.row("status=410")
        #expect(replay.int("replay_of") == (try daemon.row("status=200 /gone")).int("id"))
        try run.leave()
    }

    @Test
    func `the terminal interface can send an edited copy of a request and keeps the original`()
        throws
    {
        _ = try capture("/form?a=%7e&b=1", "-d", "item=42&note=two+words")
        let id = String(try #require(try daemon.row().int("id")))
        let before = try daemon.proxyctl(["show", id, "--json"]).text
        let run = try TerminalRun(daemon)
        try run.terminal.type("e")
        try run.terminal.wait("a request") {
            $0.contains("Edit a copy of") && $0.contains("Method")
        }
        try run.terminal.press("Tab", "j", "Enter")
        try run.terminal.type("2")
        try run.terminal.press("Enter")
        try run.terminal.wait(for: "b=12")
        try run.terminal.press("Tab", "Tab", "Enter", "C-u")
        try run.terminal.type("7")
        try run.terminal.press("Enter", "s")
        try run.terminal.wait(for: "Replay #")
        let sent = try origin.nextRequest()
        #expect(sent.hasPrefix("POST /form?a=%7e&b=12 HTTP/1.1\r\n"))
        #expect(sent.hasSuffix("\r\n\r\nitem=7&note=two+words"))
        #expect(sent.contains("Content-Length: 21\r\n"))
        #expect(try daemon.proxyctl(["show", id, "--json"]).text == before)
        try run.leave()
    }

    /// Captures a JSON body and opens it in an editor that runs a script for the shell.
    private func editBody(with script: String) throws -> TerminalRun {
        _ = try capture("/json", "-H", "Content-Type: application/json", "-d", "{\"a\":1}")
        let editor = daemon.data.path + "/editor"
        try ShellProgram.make(script, at: editor)
        let run = try TerminalRun(daemon, environment: ["EDITOR": editor])
        try run.terminal.type("e")
        try run.terminal.wait("a request") {
            $0.contains("Edit a copy of") && $0.contains("Method")
        }
        try run.terminal.type("b")
        return run
    }

    @Test
    func `after a body is edited in the user's editor, the terminal interface continues`()
        throws
    {
        let run = try editBody(with: "printf '[true]\\n' > \"$1\"")
        try run.terminal.wait(for: "the body was changed")
        try run.terminal.type("s")
        try run.terminal.wait(for: "Replay #")
        #expect(try origin.nextRequest().hasSuffix("\r\n\r\n[true]"))
        try run.leave()
    }

    @Test func `suspending the user's editor suspends the terminal interface too, and both resume`()
        throws
    {
        let run = try editBody(with: "kill -s TSTP 0\nprintf '[true]\\n' > \"$1\"")
        try run.terminal.wait(for: "Stopped")
        try run.terminal.type("fg")
        try run.terminal.press("Enter")
        try run.terminal.wait(for: "the body was changed")
        try run.terminal.type("Q")
        try run.terminal.wait { $0.contains("fg") && !$0.contains("Edit a copy of") }
    }

    @Test func `the terminal interface can replay a request many times and then shows a summary`()
        throws
    {
        let sent = try capture("/many")
        _ = try daemon.rows(count: 1)
        let run = try TerminalRun(daemon)
        try run.terminal.type("*")
        try run.terminal.wait(for: "Send many times")
        try run.terminal.press("C-u")
        try run.terminal.type("12")
        try run.terminal.press("Tab", "C-u")
        try run.terminal.type("3")
        try run.terminal.press("Enter")
        let screen = try run.terminal.wait(for: "Sent many times")
        #expect(screen.contains("12 of 12") && screen.contains("200 ×12"))
        #expect(try origin.nextRequests(12).allSatisfy { $0 == sent })
        #expect(try daemon.rows(count: 13).filter { !$0.isNull("replay_of") }.count == 12)
        // On its own: with a letter right behind it, it would be that letter with Alt.
        try run.terminal.press("Escape")
        try run.terminal.wait { !$0.contains("Sent many times") }
        try run.leave()
    }

    @Test func `an export from the terminal interface is a private file without credentials`()
        throws
    {
        _ = try capture("/secret", "-H", "Authorization: Bearer abc123")
        _ = try daemon.rows(count: 1)
        let run = try TerminalRun(daemon)
        try run.terminal.type("X")
        try run.terminal.wait(for: "exchanges.har")
        try run.terminal.press("Enter")
        try run.terminal.wait(for: "exported 1 exchange as exchanges.har")
        let path = daemon.data.path + "/exchanges.har"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("/secret") && !text.contains("abc123"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try run.leave()
    }
}
