import Foundation
import ProxydTestSupport
import Testing

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
        #expect(screen.contains("code=\(code)"), sourceLocation: location)
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
