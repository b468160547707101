import Foundation
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

    /// Brackets and octets of the URL as they are.
    private func fetch(_ url: String, _ proxy: Daemon, _ options: String...) throws {
        let outcome = try Tool.run(
            "curl",
            ["-sS", "--max-time", "60", "-x", proxy.url, "-o", "/dev/null", "--globoff"] + options
                + [url])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// Runs the interface; `code` and the terminal's settings are printed behind it.
    private func start(_ proxy: Daemon, _ terminal: TerminalSession) throws {
        let program = try Tool.built("proxyctl")
        try terminal.type(
            "stty -a >\(proxy.data.path)/before; '\(program)' --data-dir '\(proxy.directory)'; "
                + "echo \"code=$?\"; stty -a >\(proxy.data.path)/after; echo over=$((1+1))")
        try terminal.press("Enter")
        try terminal.wait(for: "proxyd")
        try terminal.wait(for: "Enter open")
    }

    private func expectRestored(
        _ proxy: Daemon, _ terminal: TerminalSession, code: Int,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let screen = try terminal.wait(for: "over=2")
        #expect(screen.contains("code=\(code)"), sourceLocation: location)
        let settings = try ["before", "after"].map {
            // The size is the window's, which a test may change.
            try String(contentsOfFile: proxy.data.path + "/" + $0, encoding: .utf8)
                .replacingOccurrences(
                    of: "rows [0-9]+; columns [0-9]+; ", with: "", options: .regularExpression)
        }
        #expect(settings[0] == settings[1], sourceLocation: location)
        #expect(try !terminal.isAlternate(), sourceLocation: location)
        // What is typed is seen, and run.
        try terminal.type("echo again=$((2+3))")
        try terminal.wait(for: "echo again=")
        try terminal.press("Enter")
        try terminal.wait(for: "again=5")
    }

    @Test func `from the list to a filter, an exchange, and out again`() throws {
        let (origin, proxy, terminal) = try stage(["/one", "/two", "/three"])
        try start(proxy, terminal)
        let list = try terminal.wait { $0.contains("/one") && $0.contains("/three") }
        #expect(list.contains("recording"))
        try terminal.type("/path=/two")
        try terminal.wait(for: "1 match")
        try terminal.press("Enter")
        try terminal.wait { $0.contains("/two") && !$0.contains("/one") }
        try terminal.press("Enter")
        try terminal.wait(for: "Overview")
        try terminal.press("Escape")
        try terminal.wait(for: "1 matches")
        try terminal.press("C-u")
        try terminal.wait(for: "/one")
        try terminal.type("q")
        try expectRestored(proxy, terminal, code: 0)
        withExtendedLifetime(origin) {}
    }

    @Test func `what is recorded meanwhile appears`() throws {
        let (origin, proxy, terminal) = try stage(["/one"])
        try start(proxy, terminal)
        try fetch(origin.url("/appears-by-itself"), proxy)
        try terminal.wait(for: "/appears-by-itself")
        try terminal.type(";seen")
        try terminal.press("Enter")
        try terminal.wait(for: "“seen”")
        #expect(try proxy.row("path=/appears-by-itself").text("note") == "seen")
        try terminal.resize(columns: 60, rows: 12)
        try terminal.wait { $0.contains("/appears") && $0.contains("2 rows") }
        #expect(proxy.stop() == 0)
        try terminal.wait(for: "proxyd is down")
        try terminal.type("Q")
        try expectRestored(proxy, terminal, code: 0)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGSEGV])
    func `a signal that ends it leaves the terminal as it was`(_ number: Int32) throws {
        let (origin, proxy, terminal) = try stage(["/one"])
        try start(proxy, terminal)
        #expect(try terminal.isAlternate())
        kill(try terminal.processID(running: "proxyctl"), number)
        try expectRestored(proxy, terminal, code: 128 + Int(number))
        withExtendedLifetime(origin) {}
    }

    @Test func `suspended, the shell is there; resumed, the list`() throws {
        let (origin, proxy, terminal) = try stage(["/one"])
        try start(proxy, terminal)
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

    @Test func `without a store it says so, and shows what comes`() throws {
        let terminal = try TerminalSession()
        try terminal.wait("a prompt") { $0.hasPrefix("$") }
        let data = try TemporaryDirectory()
        let program = try Tool.built("proxyctl")
        try terminal.type("'\(program)' --data-dir '\(data.path)/data'")
        try terminal.press("Enter")
        try terminal.wait(for: "nothing was captured yet")
        let origin = try Origin()
        let proxy = try Daemon(data: data)
        try fetch(origin.url("/first"), proxy)
        try terminal.wait(for: "/first")
        try terminal.type("q")
        try terminal.wait { !$0.contains("/first") }
    }

    @Test func `a store that takes the place of the one that is shown is shown`() throws {
        let (origin, proxy, terminal) = try stage(["/former", "/former-too"])
        try start(proxy, terminal)
        try terminal.wait(for: "/former-too")
        #expect(proxy.stop() == 0)
        try FileManager.default.removeItem(atPath: proxy.directory)
        try terminal.wait(for: "proxyd is down")
        let other = try Daemon(data: proxy.data)
        try fetch(origin.url("/latter"), other)
        let screen = try terminal.wait(for: "/latter")
        #expect(!screen.contains("/former"))
        try terminal.type("q")
        try expectRestored(proxy, terminal, code: 0)
    }

    @Test func `hostile octets do not reach the terminal`() throws {
        let (origin, proxy, terminal) = try stage(["/x?a=%1b]0;owned%07&b=%e2%80%ae"])
        // No request target may hold these: the proxy refuses it, and keeps what it got.
        try fetch(
            origin.url("/\u{202E}evil"), proxy, "--path-as-is", "-A", "\u{1B}]0;owned\u{7}")
        try start(proxy, terminal)
        try terminal.wait(for: "malformed")
        try terminal.press("Enter")
        try terminal.wait(for: "Overview")
        try terminal.type("2")
        let screen = try terminal.wait { $0.contains("evil") && $0.contains("owned") }
        #expect(screen.unicodeScalars.allSatisfy { $0.value != 0x202E && $0.value != 0x1B })
        try terminal.type("qq")
        try expectRestored(proxy, terminal, code: 0)
        withExtendedLifetime(origin) {}
    }
}
