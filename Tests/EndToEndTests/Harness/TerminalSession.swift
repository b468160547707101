import Foundation
import ProxydTestSupport
import Testing

/// A shell in a terminal of tmux, which programs are typed into and whose screen is read.
final class TerminalSession {
    private let scratch: ScratchFolder
    private let socket: String
    /// The server, as a child of ours: one that makes itself a daemon would outlive us.
    private let server: Service

    /// Whether tmux is installed.
    static var isPossible: Bool { Tool.find("tmux") != nil }

    init(columns: Int = 100, rows: Int = 24, environment: [String: String] = [:]) throws {
        scratch = try ScratchFolder()
        socket = scratch.path + "/tmux"
        var all = [
            "HOME": scratch.path, "XDG_STATE_HOME": scratch.path + "/state", "PS1": "$ ",
            // A crash is reported to no one, and must not ask anyone.
            "SWIFT_BACKTRACE": "enable=no",
        ]
        for (name, value) in environment { all[name] = value }
        guard let program = Tool.find("tmux") else {
            throw Tool.Failure(description: "tmux is not installed")
        }
        server = try Service(
            program, ["-S", socket, "-f", "/dev/null", "-D"], environment: all)
        try Eventually.isTrue(orFail: "tmux does not start") {
            FileManager.default.fileExists(atPath: socket)
        }
        let shell = Tool.find("bash").map { $0 + " --norc --noprofile" } ?? "/bin/sh"
        try tmux(
            "new-session", "-d", "-x", String(columns), "-y", String(rows),
            "exec env -u LANG -u LC_ALL -u LC_CTYPE PS1='$ ' " + shell)
    }

    deinit { _ = try? tmux("kill-server") }

    @discardableResult
    private func tmux(_ arguments: String...) throws -> String {
        let outcome = try Tool.run(
            "tmux", ["-S", socket] + arguments)
        guard outcome.status == 0 else {
            throw Tool.Failure(description: "tmux \(arguments): \(outcome.errors)")
        }
        return outcome.text
    }

    /// Types text as it is.
    func type(_ text: String) throws { try tmux("send-keys", "-l", "--", text) }

    /// Presses keys by tmux's names: `Enter`, `Escape`, `C-u`.
    func press(_ keys: String...) throws {
        for key in keys { try tmux("send-keys", key) }
    }

    /// What is on the screen now.
    func screen() throws -> String { try tmux("capture-pane", "-p") }

    /// Whether the program that runs has switched to the screen of full-screen programs.
    func isAlternate() throws -> Bool {
        try tmux("display-message", "-p", "#{alternate_on}").hasPrefix("1")
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux("resize-window", "-x", String(columns), "-y", String(rows))
    }

    /// The screen once it is as wanted.
    @discardableResult
    func wait(_ what: String = "what was waited for", until isThere: (String) -> Bool) throws
        -> String
    {
        var last = ""
        return try Eventually.value(orFail: "\(what) did not come; the screen is:\n\(last)") {
            last = try screen()
            return isThere(last) ? last : nil
        }
    }

    /// The screen once it shows a text.
    @discardableResult
    func wait(for text: String) throws -> String {
        try wait("“\(text)”") { $0.contains(text) }
    }

    /// The processes that run in the terminal under a name, by their command lines.
    func processID(running name: String) throws -> Int32 {
        let shell = try tmux("display-message", "-p", "#{pane_pid}")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let children = try Tool.run("ps", ["-o", "pid=,comm=", "--ppid", shell]).text
        for line in children.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[1].hasPrefix(name), let id = Int32(words[0]) { return id }
        }
        throw Tool.Failure(description: "\(name) does not run: \(children)")
    }
}

/// The terminal interface beside a daemon, started by a shell that notes the terminal's settings
/// before and after.
struct TerminalRun {
    let daemon: Daemon
    let terminal: TerminalSession

    init(_ daemon: Daemon, environment: [String: String] = [:]) throws {
        let terminal = try TerminalSession(environment: environment)
        try terminal.wait("a prompt") { $0.hasPrefix("$") }
        try self.init(daemon, in: terminal)
    }

    /// In a terminal whose shell waits for a command.
    init(_ daemon: Daemon, in terminal: TerminalSession) throws {
        self.daemon = daemon
        self.terminal = terminal
        let program = try Tool.built("proxyctl")
        try terminal.type(
            "cd '\(daemon.data.path)'; stty -a >before; clear; "
                + "\(CrashReport.setting(in: daemon.data.path)) "
                + "'\(program)' --data-dir '\(daemon.directory)'; "
                + "echo \"code=$?\"; stty -a >after; echo over=$((1+1))")
        try terminal.press("Enter")
        // A key for a row does nothing while there are no rows.
        try terminal.wait("the list") { $0.contains("Enter open") && !$0.contains("reading") }
    }

    /// Leaves by a key: the terminal is as it was.
    func leave(location: SourceLocation = #_sourceLocation) throws {
        try terminal.type("Q")
        try expectRestored(code: 0, location: location)
    }

    /// It ended: the terminal is as it was, and the shell runs what is typed.
    func expectRestored(code: Int, location: SourceLocation = #_sourceLocation) throws {
        let screen = try terminal.wait(for: "over=2")
        #expect(
            screen.contains("code=\(code)"), "\(CrashReport.text(in: daemon.data.path))",
            sourceLocation: location)
        let settings = try ["before", "after"].map {
            // The size is the window's, which a test may change.
            try String(contentsOfFile: daemon.data.path + "/" + $0, encoding: .utf8)
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
}

/// What the runtime writes when a program in a terminal crashes, where its text would be cut off.
private enum CrashReport {
    private static func path(in directory: String) -> String { directory + "/crash" }

    /// A variable for a shell's command line.
    static func setting(in directory: String) -> String {
        "SWIFT_BACKTRACE='enable=yes,warnings=suppressed,color=no,interactive=no,"
            + "output-to=\(path(in: directory))'"
    }

    static func text(in directory: String) -> String {
        (try? String(contentsOfFile: path(in: directory), encoding: .utf8)) ?? "no crash"
    }
}
