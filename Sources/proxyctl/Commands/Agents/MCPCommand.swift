internal import ArgumentParser

/// `proxyctl mcp`: serves AI agents over standard input and output.
struct MCPCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an AI agent read what was recorded.",
        discussion: """
            Speaks the Model Context Protocol over standard input and output; agents start it \
            themselves. It works beside a running daemon and without one, and ends when its input \
            ends. By default an agent can only read, and credentials are removed from everything \
            it gets.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var agents: AgentOptions

    func run() throws {
        let place = try reading.place(global)
        try MCPRun(place, try agents.policy()).serve()
    }
}
