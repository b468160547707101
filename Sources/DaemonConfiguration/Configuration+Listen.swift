extension Configuration {
    /// Where clients connect.
    package struct Listen: Sendable, Equatable {
        /// The addresses listened on.
        package var addresses = ListenAddress("127.0.0.1:8080").map { [$0] } ?? []
        /// Clients allowed besides those of this machine.
        package var allowedClientNetworks: [IPNetwork] = []
        /// Whether networks of public addresses may be among those.
        package var allowsPublicNetworks = false

        /// Whether a client at this address, without brackets, may use the proxy.
        package func allowsClient(at ip: String) -> Bool {
            IPNetwork(ip)?.isLoopback == true
                || allowedClientNetworks.contains { $0.contains(ip) }
        }
    }
}
