import Foundation
import Testing

/// The terminal interface beside a daemon, started by a shell that notes the terminal's settings
/// before and after.
struct TerminalRun {
    let daemon: Daemon
    let terminal: TerminalSession

    init(_ daemon: Daemon, environment: [String: String] = [:]) throws {
        self.daemon = daemon
        terminal = try TerminalSession(environment: environment)
        try terminal.wait("a prompt") { $0.hasPrefix("$") }
        let program = try Tool.built("proxyctl")
        try terminal.type(
            "cd '\(daemon.data.path)'; stty -a >before; clear; "
                + "'\(program)' --data-dir '\(daemon.directory)'; "
                + "echo \"code=$?\"; stty -a >after; echo over=$((1+1))")
        try terminal.press("Enter")
        try terminal.wait(for: "Enter open")
    }

    /// Leaves by a key: the terminal is as it was, and the shell runs what is typed.
    func leave(location: SourceLocation = #_sourceLocation) throws {
        try terminal.type("Q")
        let screen = try terminal.wait(for: "over=2")
        #expect(screen.contains("code=0"), sourceLocation: location)
        let settings = try ["before", "after"].map {
            try String(contentsOfFile: daemon.data.path + "/" + $0, encoding: .utf8)
        }
        #expect(settings[0] == settings[1], sourceLocation: location)
        #expect(try !terminal.isAlternate(), sourceLocation: location)
        try terminal.type("echo again=$((2+3))")
        try terminal.press("Enter")
        try terminal.wait(for: "again=5")
    }
}
