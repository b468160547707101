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
        /// The users of listeners without a file of their own, in modes that have users; an
        /// absolute path, or nil if no one has to authenticate.
        package var usersFile: String?
        /// Whether the allowed networks may contain public addresses.
        package var allowsPublicNetworks = false

        /// The clients that may use a listener without its own rules.
        package var access: ClientAccess { ClientAccess(allowedClientNetworks) }

        /// All listeners.
        package var listeners: [Listener] {
            addresses.map { entry in
                var options = ListenerOptions()
                options.usersFile = usersFile(of: entry.mode, own: nil)
                return Listener(entry, access, options)
            } + tableListeners
        }

        /// The listeners that have a table.
        package var tableListeners: [Listener] {
            tables.map { table in
                let networks = table.networks ?? allowedClientNetworks
                var options = table.options
                options.usersFile = usersFile(of: table.entry.mode, own: options.usersFile)
                return Listener(
                    table.entry, ClientAccess(networks, options.trustedNetworks), options)
            }
        }

        private func usersFile(of mode: ListenMode, own: String?) -> String? {
            let file = own ?? usersFile
            return mode.hasUsers && file != "" ? file : nil
        }
    }
}
