package import ProxydConfigurationText

/// What the daemon knows of servers: who is trusted, and who is not reached. What is sent again by
/// proxyctl goes by the same.
package struct ServerRules: Sendable, Equatable {
    /// PEM files of authorities trusted besides the system's.
    package let extraCAFiles: [String]
    /// Hosts whose certificate is not verified.
    package let unverifiedHosts: [HostPattern]
    /// Addresses of servers that are not connected to.
    package let deniedNetworks: [IPNetwork]

    /// Those of a configuration.
    package init(_ configuration: Configuration) {
        extraCAFiles = configuration.tls.extraCAFiles
        unverifiedHosts = configuration.tls.unverifiedHosts
        deniedNetworks = configuration.forwarding.deniedTargetNetworks
    }

    /// Those that a daemon told, in the words of its configuration; throws where one is none.
    package init(
        extraCAFiles: [String], unverifiedHosts: [String], deniedNetworks: [String]
    ) throws(ConfigurationValueError) {
        self.extraCAFiles = extraCAFiles
        var patterns: [HostPattern] = []
        for text in unverifiedHosts { patterns.append(try HostPattern(text)) }
        self.unverifiedHosts = patterns
        var networks: [IPNetwork] = []
        for text in deniedNetworks {
            guard let network = IPNetwork(text) else {
                throw ConfigurationValueError("\"\(text)\" is no network")
            }
            networks.append(network)
        }
        self.deniedNetworks = networks
    }

    /// Whether this host's certificate must stand verification.
    package func verifies(host: String, port: UInt16) -> Bool {
        !unverifiedHosts.contains { $0.matches(host: host, port: port) }
    }

    /// Whether a server at this address, without brackets, must not be connected to.
    package func denies(address ip: String) -> Bool {
        deniedNetworks.contains { $0.contains(ip) }
    }
}
