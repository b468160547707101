extension Configuration {
    /// Where clients connect.
    package struct Listen: Sendable, Equatable {
        /// The listeners of `listen.addresses` or `--listen`.
        package var addresses = ListenAddress("127.0.0.1:8080").map { [ListenEntry($0)] } ?? []
        /// The tables `[[listener]]`.
        package var tables: [ListenerTable] = []
        /// Clients allowed besides those of this machine, where a table does not say otherwise.
        package var allowedClientNetworks: [IPNetwork] = []
        /// Whether networks of public addresses may be among those.
        package var allowsPublicNetworks = false

        /// Which clients may use a listener that says nothing of its own.
        package var access: ClientAccess { ClientAccess(allowedClientNetworks) }

        /// All listeners.
        package var listeners: [Listener] {
            addresses.map { Listener($0, access) } + tableListeners
        }

        /// Those that have a table.
        package var tableListeners: [Listener] {
            tables.map { Listener($0.entry, $0.networks.map { ClientAccess($0) } ?? access) }
        }
    }
}
