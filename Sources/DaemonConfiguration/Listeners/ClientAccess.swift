/// The clients that may use a listener: those of this machine, and those of the allowed networks.
package struct ClientAccess: Sendable, Hashable {
    /// The allowed networks.
    package let networks: [IPNetwork]
    /// The networks of the load balancers that may send a PROXY header.
    package let trustedNetworks: [IPNetwork]

    /// Creates the rules from the allowed and the trusted networks.
    package init(_ networks: [IPNetwork] = [], _ trustedNetworks: [IPNetwork] = []) {
        self.networks = networks
        self.trustedNetworks = trustedNetworks
    }

    /// Whether a client at this address, without brackets, is allowed.
    package func allows(_ ip: String) -> Bool {
        IPNetwork(ip)?.isLoopback == true || networks.contains { $0.contains(ip) }
    }

    /// Whether a client at this address, without brackets, may send a PROXY header. Not even those
    /// of this machine may, unless they are trusted.
    package func trusts(_ ip: String) -> Bool { trustedNetworks.contains { $0.contains(ip) } }
}
