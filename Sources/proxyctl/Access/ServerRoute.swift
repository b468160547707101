internal import Capture
internal import ClientLib
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
    /// Addresses to use instead of resolving names.
    var resolutions: [HostResolution] = []
    /// The configuration file to read if no daemon is running; nil for the daemon's default.
    var configurationFile: String?

    /// Configures a session to use the route.
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
        guard let client = try StoreWriter.daemon(directory) else {
            throw CommandFailure("no daemon is running: give --via-proxy a URL")
        }
        let address = try DaemonAccess.attempt { () throws(ControlError) in
            try client.status().proxyAddress
        }
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
