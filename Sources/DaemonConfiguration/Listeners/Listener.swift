extension Configuration {
    /// An address for clients, with its protocol and its allowed clients.
    package struct Listener: Sendable, Hashable {
        /// The address to listen on.
        package let address: ListenAddress
        /// The protocol of the clients.
        package let mode: ListenMode
        /// The clients that may use the listener.
        package let access: ClientAccess

        /// Creates a listener.
        package init(_ entry: ListenEntry, _ access: ClientAccess) {
            address = entry.address
            mode = entry.mode
            self.access = access
        }

        /// The short form, which identifies the listener.
        package var name: String { ListenEntry(address, mode).text }
    }

    /// A `[[listener]]` table.
    package struct ListenerTable: Sendable, Hashable {
        /// The address and the protocol.
        package let entry: ListenEntry
        /// The listener's own allowed networks, or nil to use those of `[listen]`.
        package let networks: [IPNetwork]?

        /// Creates a table.
        package init(_ entry: ListenEntry, networks: [IPNetwork]? = nil) {
            self.entry = entry
            self.networks = networks
        }
    }
}
