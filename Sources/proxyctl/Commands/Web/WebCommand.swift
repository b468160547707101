internal import ArgumentParser
internal import Capture

/// `proxyctl web`: serves the page and its HTTP interface.
struct WebCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Serve a web page on what was recorded.",
        discussion: """
            Prints the address of the page, with its token, and opens it in a browser. The page \
            works beside a running daemon and without one. Ends on SIGINT or SIGTERM.

            Only this machine can connect unless --listen names another address. The token is \
            needed for everything but the page's own files; whoever has it can read what was \
            recorded and send requests. Behind a tunnel or a reverse proxy, --allow-host names \
            the host and port that browsers use; NAME:443 and NAME:80 also allow NAME alone, as \
            browsers send it.

            --mcp lets AI agents in, too: they send the token as "Authorization: Bearer" in a POST \
            to /mcp. The options that follow it say what they may see and do.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Option(
        help: ArgumentHelp("The address to listen on; port 0 is any.", valueName: "address:port"))
    var listen = "127.0.0.1:0"
    @Flag(name: .customLong("no-open"), help: "Do not open a browser.")
    var noOpen = false
    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Another host and port that the page may be reached by; repeatable.",
            valueName: "name:port"))
    var allowedHosts: [String] = []
    @Option(
        name: .customLong("token-file"),
        help: ArgumentHelp(
            "A file with the token, created if it does not exist; otherwise the token is new at "
                + "each start.", valueName: "file"))
    var tokenFile: String?
    @Flag(help: "Serve AI agents at /mcp (see proxyctl mcp).")
    var mcp = false
    @OptionGroup var agents: AgentOptions

    func validate() throws {
        for host in allowedHosts where !WebRun.isHostWithPort(host) {
            throw ValidationError("--allow-host takes NAME:PORT, not \(host)")
        }
        if agents.isUsed, !mcp {
            throw ValidationError("options for agents need --mcp")
        }
    }

    func run() throws {
        let place = try reading.place(global)
        let policy = mcp ? try agents.policy() : nil
        let run = try WebRun(
            place, listen: listen, allowedHosts: allowedHosts, agents: policy)
        try run.serve(opensBrowser: !noOpen, tokenFile: tokenFile)
    }
}
