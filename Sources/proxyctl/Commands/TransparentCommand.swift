internal import Capture
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydHTTPModel
internal import ArgumentParser

/// `proxyctl transparent --print`: the firewall rules for the transparent listeners.
struct TransparentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transparent",
        abstract: "Print the nftables rules for the transparent listeners.",
        discussion: """
            The daemon never changes the firewall: read the rules, then load them with \
            "proxyctl transparent --print | sudo nft -f -". Their comments say how to remove them. \
            See docs/MODES.md.

            The rules are for the listeners of the running daemon, or else for those of the \
            configuration file.

            A listener on a loopback address gets the connections of this machine's programs, one \
            on another address those that this machine forwards, and one on 0.0.0.0 or [::] both. \
            UDP to port 443 is rejected, so that clients do not use HTTP/3, which is not recorded.
            """)

    @OptionGroup var global: GlobalOptions

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
        let listeners = try listeners(file)
        guard !listeners.isEmpty else {
            throw CommandFailure(
                (file.map { "\($0): " } ?? Self.absence(locator))
                    + "no listener has mode = \"transparent\"",
                code: .configuration,
                nextStep: config == nil
                    ? "start proxyd with --listen transparent://127.0.0.1:8088, or name its own "
                        + "file with --config FILE"
                    : nil)
        }
        let rules = NetfilterRules(
            listeners: listeners, ports: redirected, users: users, daemonUser: daemonUser)
        Report().exactly(Array(rules.text.utf8))
    }

    /// The transparent listeners of a file; if it is not named, those of the running daemon, which
    /// may come from its command line.
    private func listeners(_ file: String?) throws -> [Configuration.Listener] {
        let ofFile = try Self.load(file).listen.listeners.filter { $0.mode == .transparent }
        guard config == nil, let running = runningAddresses(), !running.isEmpty else {
            return ofFile
        }
        let known = ofFile.filter { running.contains($0.address.text) }
        let others = running.filter { address in !known.contains { $0.address.text == address } }
        guard !others.isEmpty else { return known }
        let flags = others.map { "transparent://\($0)" }
        let all = try Self.load(file, ConfigurationOverrides(listen: flags)).listen.listeners
        return known
            + all.filter { $0.mode == .transparent && others.contains($0.address.text) }
    }

    /// The running daemon's addresses; nil if none is running, or it does not tell.
    private func runningAddresses() -> [String]? {
        guard let directory = try? global.dataDirectory(),
            let client = try? ControlClient(dataDirectory: directory.path)
        else { return nil }
        return (try? client.status())?.transparentAddresses
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

    private static func load(
        _ file: String?, _ flags: ConfigurationOverrides = ConfigurationOverrides()
    ) throws -> Configuration {
        do {
            return try Configuration.load(file: file, overrides: flags)
        } catch {
            throw CommandFailure(
                error.problems.map(\.description).joined(separator: "\n"), code: .configuration)
        }
    }
}

/// The rules of nftables that redirect connections to transparent listeners.
struct NetfilterRules {
    /// The ports whose connections are redirected.
    enum Ports {
        case all
        case some([UInt16])
    }

    let listeners: [Configuration.Listener]
    let ports: Ports
    let users: [String]
    let daemonUser: String

    /// Whether a text is a user name as nft and the system accept it, or a number.
    static func isUser(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 32 && !text.hasPrefix("-")
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "._-".utf8.contains($0) }
    }

    private static let table = "inet proxyd_transparent"

    /// A file for `nft -f`, which replaces the rules of an earlier one.
    var text: String {
        """
        #!/usr/sbin/nft -f
        # Redirects connections to the transparent listeners of proxyd.
        # To remove these rules: nft delete table \(Self.table)
        \(routes)
        table \(Self.table)
        delete table \(Self.table)
        table \(Self.table) {
        \(chains.joined(separator: "\n"))
        }

        """
    }

    private var chains: [String] {
        var chains: [String] = []
        let local = listeners.filter { !$0.options.usesTPROXY && $0.address.servesThisMachine }
        if !local.isEmpty { chains += [output(local), quic("output", exceptions: fromPrograms)] }
        let forwarded = listeners.filter { $0.options.usesTPROXY || !$0.address.isLoopback }
        if !forwarded.isEmpty {
            chains += [prerouting(forwarded), quic("forward", exceptions: [])]
        }
        return chains
    }

    /// Which of this machine's programs are redirected.
    private var fromPrograms: [String] {
        let own = "meta skuid \(quoted(daemonUser)) return"
        guard !users.isEmpty else { return [own] }
        return [own, "meta skuid != { \(users.map(quoted).joined(separator: ", ")) } return"]
    }

    private func output(_ listeners: [Configuration.Listener]) -> String {
        chain(
            "output", "connections of this machine's programs",
            "type nat hook output priority -100; policy accept;",
            fromPrograms + ["fib daddr type local return"] + listeners.map(redirection))
    }

    private func prerouting(_ listeners: [Configuration.Listener]) -> String {
        let redirected = listeners.filter { !$0.options.usesTPROXY }
        let delivered = listeners.filter(\.options.usesTPROXY)
        var chains: [String] = []
        let local = "fib daddr type local return"
        if !redirected.isEmpty {
            chains.append(
                chain(
                    "prerouting", "connections that this machine forwards",
                    "type nat hook prerouting priority -100; policy accept;",
                    [local] + redirected.flatMap(forwardedRedirections)))
        }
        if !delivered.isEmpty {
            chains.append(
                chain(
                    "deliver", "connections that this machine forwards",
                    "type filter hook prerouting priority -150; policy accept;",
                    [local] + delivered.flatMap(deliveries)))
        }
        return chains.joined(separator: "\n")
    }

    private func quic(_ hook: String, exceptions: [String]) -> String {
        chain(
            "quic_\(hook)", "HTTP/3, in whose place clients use TCP",
            "type filter hook \(hook) priority 0; policy accept;",
            exceptions + ["udp dport 443 reject"])
    }

    private func chain(
        _ name: String, _ comment: String, _ hook: String, _ rules: [String]
    ) -> String {
        let lines = ["# \(comment)", hook] + rules
        return "    chain \(name) {\n" + lines.map { "        \($0)\n" }.joined() + "    }"
    }

    private func redirection(_ listener: Configuration.Listener) -> String {
        "meta nfproto \(listener.address.family) \(match) redirect to :\(listener.address.port)"
    }

    /// One rule for each network of clients, so that others are not cut off. `redirect` would lead
    /// to the address of the interface, where a listener at one address does not listen.
    private func forwardedRedirections(_ listener: Configuration.Listener) -> [String] {
        let address = listener.address
        let place =
            address.isUnspecified
            ? "redirect to :\(address.port)" : "dnat \(address.protocolName) to \(address.text)"
        return clients(of: listener).map { "\($0) \(match) \(place)" }
    }

    private func deliveries(_ listener: Configuration.Listener) -> [String] {
        let address = listener.address
        let place = address.isUnspecified ? ":\(address.port)" : address.text
        let rest = "meta mark set \(Self.mark) tproxy \(address.protocolName) to \(place) accept"
        return clients(of: listener).map { "\($0) \(match) \(rest)" }
    }

    /// A match for each network whose clients may use the listener.
    private func clients(of listener: Configuration.Listener) -> [String] {
        let name = listener.address.protocolName
        let isIPv6 = listener.address.family == "ipv6"
        return listener.access.networks.map(\.description)
            .filter { $0.contains(":") == isIPv6 }.map { "\(name) saddr \($0)" }
    }

    private var match: String {
        switch ports {
        case .all: "meta l4proto tcp"
        case .some(let ports):
            "tcp dport { \(Set(ports).sorted().map(String.init).joined(separator: ", ")) }"
        }
    }

    /// The mark and the number of the routing table for TPROXY.
    private static let mark = 10_808

    /// The routes that TPROXY also needs; nft cannot add them.
    private var routes: String {
        let families = Set(listeners.filter(\.options.usesTPROXY).map(\.address.family)).sorted()
        guard !families.isEmpty else { return "#" }
        let commands = families.flatMap { family in
            let ip = family == "ipv4" ? "ip" : "ip -6"
            return [
                "\(ip) rule add fwmark \(Self.mark) lookup \(Self.mark)",
                "\(ip) route add local default dev lo table \(Self.mark)",
            ]
        }
        let head = [
            "#", "# Where clients are on a bridge, TPROXY needs net.bridge.bridge-nf-call-iptables",
            "# and net.bridge.bridge-nf-call-ip6tables set to 0. It always needs routes:",
        ]
        return (head + commands.map { "#     \($0)" } + ["#"])
            .joined(separator: "\n")
    }

    private func quoted(_ user: String) -> String { "\"\(user)\"" }
}

extension ListenAddress {
    /// Whether the kernel can redirect connections of this machine's programs to it.
    fileprivate var servesThisMachine: Bool { isLoopback || isUnspecified }

    /// `ipv4` or `ipv6`, as nft names them.
    fileprivate var family: String { ip.contains(":") ? "ipv6" : "ipv4" }

    /// `ip` or `ip6`.
    fileprivate var protocolName: String { ip.contains(":") ? "ip6" : "ip" }
}
