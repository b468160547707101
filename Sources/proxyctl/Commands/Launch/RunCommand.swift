internal import ArgumentParser
internal import Capture

/// `proxyctl run`: starts a program whose traffic is recorded.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a command that uses the proxy and trusts its authority.",
        discussion: """
            The command gets an environment with http_proxy, https_proxy and the variables for \
            trusted certificates of curl, OpenSSL, Python, Ruby, git, cargo, Node, Deno and Java. \
            It uses the running daemon of the data directory; if there is none, proxyd runs as \
            long as the command does. The exit code is that of the command, 126 or 127 if it \
            cannot be started.
            """)

    @OptionGroup var global: GlobalOptions
    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("give a command: proxyctl run -- COMMAND …") }
    }

    func run() throws {
        let directory = try global.dataDirectory()
        let point = try LaunchPoint(directory)
        defer { point.end() }
        Report.warn("\(command[0]) uses \(point.description); data in \(directory.path)")
        let exitCode = try point.program.run(command)
        if exitCode != 0 { throw CommandFailure(nil, code: .init(rawValue: exitCode)) }
    }
}
