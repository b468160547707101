extension Configuration {
    /// How messages are forwarded to servers and clients.
    package struct Forwarding: Sendable, Equatable {
        /// The name in a `Via` field (RFC 9110 §7.6.3); nil adds none.
        package var viaPseudonym: String?
        /// Whether a response without `Date` gets one (RFC 9110 §6.6.1).
        package var addsDate = false
        /// Whether the client's `Host` is forwarded even if its absolute target names another host.
        package var keepsHost = false
        /// Whether `Alt-Svc` fields of responses are removed (RFC 7838 §3), so that clients do not
        /// turn to HTTP/3.
        package var removesAltSvc = false
        /// Whether invalid HTTP responses that clients accept are refused.
        package var hasStrictResponses = false
        /// The ports that CONNECT may reach.
        package var connectPorts = PortRange("1-65535").map { [$0] } ?? []
        /// Addresses of servers that are not connected to. By default these are the link-local
        /// ones: at 169.254.169.254, clouds provide the machine's credentials.
        package var deniedTargetNetworks = ["169.254.0.0/16", "fe80::/10"]
            .compactMap(IPNetwork.init)
        /// Host names of the proxy's own page.
        package var ownHostNames = ["proxyd.local"]
        /// Whether the proxies that the environment names are used after those of the tables.
        package var takesUpstreamFromEnvironment = false

        /// Whether connecting to a server at this address, without brackets, is denied.
        package func denies(targetAt ip: String) -> Bool {
            deniedTargetNetworks.contains { $0.contains(ip) }
        }

        /// Whether CONNECT may reach this port.
        package func allowsConnect(toPort port: UInt16) -> Bool {
            connectPorts.contains { $0.ports.contains(port) }
        }
    }
}
