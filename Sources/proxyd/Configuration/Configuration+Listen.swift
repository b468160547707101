extension Configuration {
    /// Where clients connect.
    struct Listen: Sendable, Equatable {
        /// The addresses listened on.
        var addresses = ListenAddress("127.0.0.1:8080").map { [$0] } ?? []
        /// Clients allowed besides those of this machine.
        var allowedClientNetworks: [IPNetwork] = []
        /// Whether networks of public addresses may be among those.
        var allowsPublicNetworks = false

        /// Whether a client at this address, without brackets, may use the proxy.
        func allowsClient(at ip: String) -> Bool {
            IPNetwork(ip)?.isLoopback == true
                || allowedClientNetworks.contains { $0.contains(ip) }
        }
    }
}
