extension Configuration {
    /// What goes on to servers.
    package struct Forwarding: Sendable, Equatable {
        /// The name given in a `Via` field (RFC 9110 §7.6.3); nil adds none.
        package var viaPseudonym: String?
        /// Whether a response without `Date` gets one (RFC 9110 §6.6.1).
        package var addsDate = false
        /// Whether the client's `Host` goes on where its absolute target names another host.
        package var keepsHost = false
        /// Whether responses are refused that clients take though they are not valid HTTP.
        package var hasStrictResponses = false
        /// Ports that CONNECT may reach.
        package var connectPorts = PortRange("1-65535").map { [$0] } ?? []
        /// Addresses of servers that are not connected to. Link-local ones, by default: behind
        /// 169.254.169.254 clouds keep the machine's credentials.
        package var deniedTargetNetworks = ["169.254.0.0/16", "fe80::/10"]
            .compactMap(IPNetwork.init)
        /// Host names that mean the proxy's own page.
        package var ownHostNames = ["proxyd.local"]

        /// Whether a server at this address, without brackets, must not be connected to.
        package func denies(targetAt ip: String) -> Bool {
            deniedTargetNetworks.contains { $0.contains(ip) }
        }

        /// Whether CONNECT may reach this port.
        package func allowsConnect(toPort port: UInt16) -> Bool {
            connectPorts.contains { $0.ports.contains(port) }
        }
    }
}
