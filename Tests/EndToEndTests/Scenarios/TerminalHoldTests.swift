import Foundation
import ProxydTestSupport
import Testing

/// Breakpoints in a real terminal, beside a real daemon.
@Suite(.enabled(if: TerminalSession.isPossible, "tmux is not installed"))
struct TerminalHoldTests {
    private let data: ScratchFolder
    private let origin: ReplayOrigin
    private let daemon: Daemon

    init() throws {
        data = try ScratchFolder()
        origin = try ReplayOrigin()
        try "[[rule]]\nname = \"posts\"\nwhen = 'method=POST'\nrequest = [{ hold = true }]\n"
            .write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        daemon = try Daemon(data: data)
    }

    private func url(_ path: String) -> String { "http://\(origin.authority)\(path)" }

    @Test func `a request can be held, edited and resumed in the terminal interface`() throws {
        // Nothing is held before the interface takes holds.
        #expect(try daemon.curl("-d", "amount=1", url("/first")).text == "ok")
        _ = try origin.nextRequest()
        let run = try TerminalRun(daemon)
        let terminal = run.terminal
        try terminal.type("H")
        try terminal.wait(for: "holding is off")
        try terminal.type("B")
        try terminal.wait(for: "Nothing is held now")
        let fetch = try Fetch(
            daemon, "-H", "Content-Type: text/plain", "-d", "amount=5", url("/pay"))
        try terminal.wait { $0.contains("⏸ 1") && $0.contains("/pay") }
        try terminal.press("Enter")
        try terminal.wait(for: "A held request")
        try terminal.type("G")
        try terminal.press("Enter", "BSpace")
        try terminal.type("7")
        try terminal.press("Enter")
        try terminal.wait(for: "amount=7")
        try terminal.type("s")
        try terminal.wait(for: "the message goes on")
        #expect(fetch.finish().text.hasSuffix("ok"))
        #expect(try origin.nextRequest().hasSuffix("\r\n\r\namount=7"))
        let shown = try daemon.show(try daemon.row("path=/pay"))
        #expect(shown.row("request")?.text("body_text") == "amount=5")
        try run.leave()
    }

    @Test func `keys in the terminal interface pause recording and stop interception of a host`()
        throws
    {
        #expect(try daemon.curl(url("/a")).text == "ok")
        _ = try daemon.rows(count: 1)
        let run = try TerminalRun(daemon)
        let terminal = run.terminal
        try terminal.wait(for: "/a")
        try terminal.press("M-r")
        try terminal.wait(for: "not recording: it was switched off")
        try terminal.press("M-r")
        try terminal.wait { !$0.contains("not recording") && $0.contains("recording") }
        try terminal.type("I")
        try terminal.wait(for: "TLS to 127.0.0.1 is not intercepted")
        let status = try Row(json: try daemon.proxyctl(["status", "--json"]).text)
        #expect(status.row("switched_hosts")?.object["127.0.0.1"] as? Bool == false)
        try run.leave()
    }
}
