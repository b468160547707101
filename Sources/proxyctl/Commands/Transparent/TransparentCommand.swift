internal import ArgumentParser
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration

/// `proxyctl transparent --print`: the firewall rules for the transparent listeners.
struct TransparentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transparent",
        abstract: "Print the nftables rules for the transparent listeners.",
        discussion: """
            The daemon never changes the firewall: read the rules, then load them with \
            "proxyctl transparent --print | sudo nft -f -". Their comments say how to remove them. \
            See docs/MODES.md.

            A listener on a loopback address gets the connections of this machine's programs, one \
            on another address those that this machine forwards, and one on 0.0.0.0 or [::] both. \
            UDP to port 443 is rejected, so that clients do not use HTTP/3, which is not recorded.
            """)

    @Flag(name: .customLong("print"), help: "Print the rules; required, since nothing is changed.")
    var prints = false

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    @Option(
        name: .customLong("port"),
        help: ArgumentHelp(
            "A TCP port whose connections are redirected, or \"all\"; repeatable. (default: 80 and "
                + "443)", valueName: "port"))
    var ports: [String] = []

    @Option(
        name: .customLong("user"),
        help: ArgumentHelp(
            "Redirect only programs of this user; repeatable. (default: all users)",
            valueName: "name"))
    var users: [String] = []

    @Option(
        name: .customLong("daemon-user"),
        help: ArgumentHelp(
            "The user that the daemon runs as, whose connections are never redirected.",
            valueName: "name"))
    var daemonUser = "proxyd"

    func validate() throws {
        guard prints else {
            throw ValidationError("use --print: proxyctl does not change the firewall itself")
        }
        for name in users + [daemonUser] where !NetfilterRules.isUser(name) {
            throw ValidationError("\"\(name)\" is not the name or the number of a user")
        }
        guard !users.contains(daemonUser) else {
            throw ValidationError(
                "\(daemonUser) runs the daemon, whose own connections cannot be redirected to it: "
                    + "run it as another user, and name that one with --daemon-user")
        }
    }

    func run() throws {
        let redirected = try redirectedPorts()
        let locator = ConfigurationLocator(environment: Environment.current.variables)
        let file = locator.configurationFile(flag: config)
        let listeners = try Self.load(file).listen.listeners.filter { $0.mode == .transparent }
        guard !listeners.isEmpty else {
            throw CommandFailure(
                (file.map { "\($0): " } ?? Self.absence(locator))
                    + "no listener has mode = \"transparent\"",
                code: .configuration,
                nextStep: config == nil ? "name the daemon's own file with --config FILE" : nil)
        }
        let rules = NetfilterRules(
            listeners: listeners, ports: redirected, users: users, daemonUser: daemonUser)
        Report().exactly(Array(rules.text.utf8))
    }

    private func redirectedPorts() throws -> NetfilterRules.Ports {
        if ports.isEmpty { return .some([80, 443]) }
        if ports.contains("all") { return .all }
        return .some(
            try ports.map { text in
                guard let port = UInt16(text), port > 0 else {
                    throw ValidationError("\"\(text)\" is not a port from 1 to 65535, nor \"all\"")
                }
                return port
            })
    }

    /// Says that the defaults apply, because there is no file.
    private static func absence(_ locator: ConfigurationLocator) -> String {
        "there is no \(locator.standardFiles.joined(separator: " and no ")), so "
    }

    private static func load(_ file: String?) throws -> Configuration {
        do {
            return try Configuration.load(file: file)
        } catch {
            throw CommandFailure(
                error.problems.map(\.description).joined(separator: "\n"), code: .configuration)
        }
    }
}
