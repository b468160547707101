extension Configuration {
    /// The addresses for clients.
    package struct Listen: Sendable, Equatable {
        /// The listeners of `listen.addresses` or `--listen`.
        package var addresses = ListenAddress("127.0.0.1:8080").map { [ListenEntry($0)] } ?? []
        /// The `[[listener]]` tables.
        package var tables: [ListenerTable] = []
        /// Clients that are allowed in addition to those of this machine, unless a table says
        /// otherwise.
        package var allowedClientNetworks: [IPNetwork] = []
        /// Whether the allowed networks may contain public addresses.
        package var allowsPublicNetworks = false

        /// The clients that may use a listener without its own rules.
        package var access: ClientAccess { ClientAccess(allowedClientNetworks) }

        /// All listeners.
        package var listeners: [Listener] {
            addresses.map { Listener($0, access) } + tableListeners
        }

        /// The listeners that have a table.
        package var tableListeners: [Listener] {
            tables.map { table in
                let networks = table.networks ?? allowedClientNetworks
                return Listener(
                    table.entry, ClientAccess(networks, table.options.trustedNetworks),
                    table.options)
            }
        }
    }
}
