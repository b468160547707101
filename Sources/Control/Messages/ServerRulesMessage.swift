/// The daemon's rules for servers, in the format of its configuration.
public struct ServerRulesMessage: Sendable, Hashable, Codable {
    /// PEM files of authorities trusted in addition to the system's, as absolute paths.
    public var extraCAFiles: [String]
    /// Patterns of hosts whose certificates are not verified, as in `tls.unverified_hosts`.
    public var unverifiedHosts: [String]
    /// Networks that the daemon does not connect to, as `ADDRESS` or `ADDRESS/BITS`.
    public var deniedNetworks: [String]

    /// Creates a message from its parts.
    public init(extraCAFiles: [String], unverifiedHosts: [String], deniedNetworks: [String]) {
        self.extraCAFiles = extraCAFiles
        self.unverifiedHosts = unverifiedHosts
        self.deniedNetworks = deniedNetworks
    }
}
