import Foundation
import ProxydTestSupport

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
