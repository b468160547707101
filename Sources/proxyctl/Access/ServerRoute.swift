internal import Capture
internal import ClientLib
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydDaemonConfiguration

/// How replayed requests reach their servers; by default on the route that the daemon would take.
struct ServerRoute: Sendable {
    /// Which program connects to the servers.
    enum Way: Sendable {
        case ourselves
        /// The running daemon, which records the requests, too.
        case daemon
        case proxy(ProxyServer)
    }

    var way = Way.ourselves
    /// Whether certificates must be valid, except for hosts that the daemon does not verify.
    var isVerified = true
    var resolutions: [HostResolution] = []
    /// The configuration file to read if no daemon is running; nil for the daemon's default.
    var configurationFile: String?

    func apply(to configuration: inout SessionConfiguration, _ directory: DataDirectory) throws {
        let rules = try ServerRulesAccess.rules(directory, configurationFile: configurationFile)
        configuration.trustedAuthorities = .system(adding: rules.extraCAFiles)
        configuration.serverTrustManager = ServerTrustManager { [isVerified] host, port in
            isVerified && rules.verifies(host: host, port: port) ? nil : DisabledTrustEvaluator()
        }
        switch way {
        case .ourselves:
            configuration.addressRules = AddressRules { !rules.denies(address: $0) }
            for resolution in resolutions {
                configuration.addressRules.resolve(
                    resolution.host, port: resolution.port, to: resolution.address)
            }
        case .daemon: configuration.proxy = try ServerRoute.daemon(directory)
        case .proxy(let server): configuration.proxy = ProxySettings(server)
        }
    }

    /// The running daemon as a proxy whose authority is trusted.
    private static func daemon(_ directory: DataDirectory) throws -> ProxySettings {
        guard let client = try WritingProcess.daemon(directory) else {
            throw CommandFailure("no daemon is running: give --via-proxy a URL")
        }
        let address = try client.status().proxyAddress
        guard let address, let server = try? ProxyServer(address) else {
            throw CommandFailure("the daemon has no listener in mode proxy")
        }
        return .proxyd(host: server.host, port: server.port, dataDirectory: directory.path)
    }
}

extension ClientError {
    /// Whether the server's certificate was rejected.
    var isAboutCertificate: Bool {
        switch kind {
        case .network(.certificate), .serverTrustEvaluationFailed: true
        default: false
        }
    }
}

/// An address to use instead of resolving a name: `HOST:PORT:ADDR`, as for curl's `--resolve`.
struct HostResolution: Sendable, Equatable {
    let host: String
    let port: UInt16
    /// An IP address without brackets.
    let address: String

    /// Parses a resolution, whose IPv6 address may be in brackets; nil if it is invalid.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else {
            return nil
        }
        var address = parts[2]
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = address.dropFirst().dropLast()
        }
        guard !address.contains("/"), IPNetwork(String(address)) != nil else { return nil }
        host = String(parts[0])
        self.port = port
        self.address = String(address)
    }

    /// Parses resolutions separated by spaces; throws if one is invalid.
    static func list(_ text: String) throws -> [HostResolution] {
        try text.split(separator: " ").map { word in
            guard let resolution = HostResolution(String(word)) else {
                throw CommandFailure("\"\(word)\" is not HOST:PORT:ADDRESS")
            }
            return resolution
        }
    }
}

/// The daemon's settings for servers, for requests that are sent without it.
enum ServerRulesAccess {
    /// Returns the settings of the running daemon. If none is running, or it is too old to report
    /// them, reads the file `configurationFile`, or the one that a daemon would read.
    static func rules(
        _ directory: DataDirectory, configurationFile: String?
    ) throws -> ServerRules {
        if let told = try daemonRules(directory) { return told }
        let locator = ConfigurationLocator(environment: Environment.current.variables)
        do throws(ConfigurationError) {
            let file = locator.configurationFile(flag: configurationFile)
            return ServerRules(try Configuration.load(file: file))
        } catch {
            throw CommandFailure(error.description)
        }
    }

    private static func daemonRules(_ directory: DataDirectory) throws -> ServerRules? {
        guard let client = try WritingProcess.daemon(directory) else { return nil }
        let message: ServerRulesStatus
        do throws(ControlError) {
            message = try client.serverRules()
        } catch {
            if error.kind == .badMessage { return nil }
            throw CommandFailure(error.message)
        }
        do throws(ConfigurationValueError) {
            return try ServerRules(
                extraCAFiles: message.extraCAFiles, unverifiedHosts: message.unverifiedHosts,
                deniedNetworks: message.deniedNetworks)
        } catch {
            throw CommandFailure("cannot read the daemon's settings for servers: \(error.message)")
        }
    }
}

extension ClientError {
    /// The error of a replay, and how to send the request nevertheless.
    var messageWithRemedy: String { remedy.map { "\(message) (\($0))" } ?? message }

    private var remedy: String? {
        if case .replayRefused(.truncatedBody) = kind { return "use --truncated to send them" }
        if isAboutDeniedNetwork { return ClientError.deniedNetworkKey }
        guard isAboutCertificate else { return nil }
        return "--insecure sends all the same; tls.extra_ca_files and tls.unverified_hosts of"
            + " the configuration count here, too"
    }

    /// Whether the daemon's configuration forbids the address.
    var isAboutDeniedNetwork: Bool { kind == .network(.refused) }

    /// The configuration key that forbids it.
    static let deniedNetworkKey =
        "forwarding.denied_target_networks of the configuration counts here, too"
}
