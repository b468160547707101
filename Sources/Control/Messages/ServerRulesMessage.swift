/// What the daemon knows of servers, in the words of its configuration.
public struct ServerRulesMessage: Sendable, Hashable, Codable {
    /// PEM files of authorities trusted besides the system's, absolute paths.
    public var extraCAFiles: [String]
    /// Patterns of hosts whose certificate is not verified, as in `tls.unverified_hosts`.
    public var unverifiedHosts: [String]
    /// Networks that are not connected to, `ADDRESS` or `ADDRESS/BITS`.
    public var deniedNetworks: [String]

    /// These rules.
    public init(extraCAFiles: [String], unverifiedHosts: [String], deniedNetworks: [String]) {
        self.extraCAFiles = extraCAFiles
        self.unverifiedHosts = unverifiedHosts
        self.deniedNetworks = deniedNetworks
    }
}
