/// Which clients may use a listener: those of this machine, and guests.
package struct ClientAccess: Sendable, Hashable {
    /// The guests' networks.
    package let networks: [IPNetwork]

    /// These guests.
    package init(_ networks: [IPNetwork] = []) { self.networks = networks }

    /// Whether a client at this address, without brackets, is among them.
    package func allows(_ ip: String) -> Bool {
        IPNetwork(ip)?.isLoopback == true || networks.contains { $0.contains(ip) }
    }
}
