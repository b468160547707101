/// The clients that may use a listener: those of this machine, and those of the allowed networks.
package struct ClientAccess: Sendable, Hashable {
    /// The allowed networks.
    package let networks: [IPNetwork]

    /// Creates the rules from the allowed networks.
    package init(_ networks: [IPNetwork] = []) { self.networks = networks }

    /// Whether a client at this address, without brackets, is allowed.
    package func allows(_ ip: String) -> Bool {
        IPNetwork(ip)?.isLoopback == true || networks.contains { $0.contains(ip) }
    }
}
