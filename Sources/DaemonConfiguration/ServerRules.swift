package import ProxydConfigurationText

/// The daemon's rules for servers: which are trusted, and which must not be reached. Requests that
/// proxyctl sends again follow the same rules.
package struct ServerRules: Sendable, Equatable {
    /// PEM files of authorities trusted in addition to the system's.
    package let extraCAFiles: [String]
    /// Hosts whose certificates are not verified.
    package let unverifiedHosts: [HostPattern]
    /// Addresses of servers that are not connected to.
    package let deniedNetworks: [IPNetwork]

    /// The rules of a configuration.
    package init(_ configuration: Configuration) {
        extraCAFiles = configuration.tls.extraCAFiles
        unverifiedHosts = configuration.tls.unverifiedHosts
        deniedNetworks = configuration.forwarding.deniedTargetNetworks
    }

    /// The rules that a daemon has reported in its configuration's format; throws if one is
    /// invalid.
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
                throw ConfigurationValueError("\"\(text)\" is not a network")
            }
            networks.append(network)
        }
        self.deniedNetworks = networks
    }

    /// Whether this host's certificate is verified.
    package func verifies(host: String, port: UInt16) -> Bool {
        !unverifiedHosts.contains { $0.matches(host: host, port: port) }
    }

    /// Whether connecting to a server at this address, without brackets, is denied.
    package func denies(address ip: String) -> Bool {
        deniedNetworks.contains { $0.contains(ip) }
    }
}
