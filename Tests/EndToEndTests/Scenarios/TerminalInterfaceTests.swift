import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl` without arguments, in a real terminal, beside a real daemon.
@Suite(.enabled(if: TerminalSession.isPossible, "tmux is not installed"))
struct TerminalInterfaceTests {
    /// A daemon with exchanges, its origin, and a terminal whose settings were noted.
    private func stage(_ paths: [String]) throws -> (Origin, Daemon, TerminalSession) {
        let origin = try Origin()
        let proxy = try Daemon()
        for path in paths { try fetch(origin.url(path), proxy) }
        _ = try proxy.rows(count: paths.count)
        let terminal = try TerminalSession()
        try terminal.wait("a prompt") { $0.hasPrefix("$") }
        return (origin, proxy, terminal)
    }

    /// Brackets and bytes of the URL as they are.
    private func fetch(_ url: String, _ proxy: Daemon, _ options: String...) throws {
        let outcome = try Tool.run(
            "curl",
            ["-sS", "--max-time", "60", "-x", proxy.url, "-o", "/dev/null", "--globoff"] + options
                + [url])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `a user of the terminal interface can filter, open an exchange, go back and quit`()
        throws
    {
        let (origin, proxy, terminal) = try stage(["/one", "/two", "/three"])
        let run = try TerminalRun(proxy, in: terminal)
        try terminal.wait { $0.contains("/one") && $0.contains("/three") }
        try terminal.wait(for: "recording")
        try terminal.type("/path=/two")
        try terminal.wait(for: "1 match")
        try terminal.press("Enter")
        try terminal.wait { $0.contains("/two") && !$0.contains("/one") }
        try terminal.press("Enter")
        try terminal.wait(for: "Overview")
        try terminal.press("Escape")
        try terminal.wait(for: "/path=/two  1 match")
        try terminal.press("C-u")
        try terminal.wait(for: "/one")
        try terminal.type("q")
        try run.expectRestored(code: 0)
        withExtendedLifetime(origin) {}
    }

    @Test func `the terminal interface shows exchanges as they are recorded`() throws {
        let (origin, proxy, terminal) = try stage(["/one"])
        let run = try TerminalRun(proxy, in: terminal)
        try fetch(origin.url("/appears-by-itself"), proxy)
        try terminal.wait(for: "/appears-by-itself")
        try terminal.type(";seen")
        try terminal.press("Enter")
        try terminal.wait(for: "“seen”")
        #expect(try proxy.row("path=/appears-by-itself").text("note") == "seen")
        try terminal.resize(columns: 60, rows: 12)
        try terminal.wait { $0.contains("/appear…") && $0.contains("2 rows") }
        #expect(proxy.stop() == 0)
        try terminal.wait(for: "proxyd is down")
        try terminal.type("Q")
        try run.expectRestored(code: 0)
    }

    /// A sanitizer reports a crash as its own find, and ends the program itself.
    private static let endings =
        [SIGTERM, SIGHUP, SIGUSR1] + (Sanitizer.isThere ? [] : [SIGSEGV])

    @Test(arguments: endings)
    func `the terminal is restored when a signal terminates the terminal interface`(_ number: Int32)
        throws
    {
        let (origin, proxy, terminal) = try stage(["/one"])
        let run = try TerminalRun(proxy, in: terminal)
        #expect(try terminal.isAlternate())
        kill(try terminal.processID(running: "proxyctl"), number)
        try run.expectRestored(code: 128 + Int(number))
        withExtendedLifetime(origin) {}
    }

    @Test func `suspending the terminal interface shows the shell, and resuming it shows the list`()
        throws
    {
        let (origin, proxy, terminal) = try stage(["/one"])
        _ = try TerminalRun(proxy, in: terminal)
        try terminal.press("C-z")
        try terminal.wait(for: "Stopped")
        #expect(try !terminal.isAlternate())
        try terminal.type("fg")
        try terminal.press("Enter")
        try terminal.wait(for: "Enter open")
        try terminal.type("q")
        try terminal.wait { $0.contains("fg") && !$0.contains("Enter open") }
        withExtendedLifetime(origin) {}
    }

    @Test func `after SIGSTOP and fg, the terminal interface reads single keys again`() throws {
        let (origin, proxy, terminal) = try stage(["/one"])
        _ = try TerminalRun(proxy, in: terminal)
        kill(try terminal.processID(running: "proxyctl"), SIGSTOP)
        // The shell has the terminal, and sets it up for lines.
        try terminal.wait(for: "Stopped")
        try terminal.type("fg")
        try terminal.press("Enter")
        try terminal.wait { $0.contains("Enter open") && !$0.contains("Stopped") }
        try terminal.type("?")
        try terminal.wait(for: " Keys ")
        try terminal.type("Q")
        // The shell wrote on the screen of full-screen programs meanwhile: its own has a prompt.
        try terminal.wait { $0.hasPrefix("$") && !$0.contains(" Keys ") }
        #expect(try !terminal.isAlternate())
        withExtendedLifetime(origin) {}
    }

    @Test
    func `on a terminal without an alternate screen, the shell continues below the last output`()
        throws
    {
        let (origin, proxy, terminal) = try stage(["/one"])
        try terminal.type("export TERM=vt100")
        try terminal.press("Enter")
        _ = try TerminalRun(proxy, in: terminal)
        try terminal.type("q")
        let screen = try terminal.wait(for: "over=2")
        #expect(screen.contains(/\ncode=0\n/))
        withExtendedLifetime(origin) {}
    }

    @Test func `the terminal interface says if there is no store, then shows the first exchange`()
        throws
    {
        let terminal = try TerminalSession()
        try terminal.wait("a prompt") { $0.hasPrefix("$") }
        let data = try ScratchFolder()
        let program = try Tool.built("proxyctl")
        try terminal.type("'\(program)' --data-dir '\(data.path)/data'")
        try terminal.press("Enter")
        try terminal.wait(for: "nothing has been captured yet")
        let origin = try Origin()
        let proxy = try Daemon(data: data)
        try fetch(origin.url("/first"), proxy)
        try terminal.wait(for: "/first")
        try terminal.type("q")
        try terminal.wait { !$0.contains("/first") }
    }

    @Test func `the terminal interface switches to a new store that replaces the open one`() throws
    {
        let (origin, proxy, terminal) = try stage(["/former", "/former-too"])
        let run = try TerminalRun(proxy, in: terminal)
        try terminal.wait(for: "/former-too")
        #expect(proxy.stop() == 0)
        try FileManager.default.removeItem(atPath: proxy.directory)
        try terminal.wait(for: "proxyd is down")
        let other = try Daemon(data: proxy.data)
        try fetch(origin.url("/latter"), other)
        let screen = try terminal.wait(for: "/latter")
        #expect(!screen.contains("/former"))
        try terminal.type("q")
        try run.expectRestored(code: 0)
    }

    @Test func `escape sequences and bidirectional controls in traffic do not reach the terminal`()
        throws
    {
        let (origin, proxy, terminal) = try stage(["/x?a=%1b]0;owned%07&b=%e2%80%ae"])
        // No request target may hold these: the proxy refuses it, and keeps what it got.
        try fetch(
            origin.url("/\u{202E}evil"), proxy, "--path-as-is", "-A", "\u{1B}]0;owned\u{7}")
        let run = try TerminalRun(proxy, in: terminal)
        try terminal.wait(for: "malformed")
        try terminal.press("Enter")
        try terminal.wait(for: "Overview")
        try terminal.type("2")
        let screen = try terminal.wait { $0.contains("evil") && $0.contains("owned") }
        #expect(screen.unicodeScalars.allSatisfy { $0.value != 0x202E && $0.value != 0x1B })
        try terminal.type("qq")
        try run.expectRestored(code: 0)
        withExtendedLifetime(origin) {}
    }
}
