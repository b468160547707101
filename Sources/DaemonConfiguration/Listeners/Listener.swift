extension Configuration {
    /// An address for clients, with its protocol and its allowed clients.
    package struct Listener: Sendable, Hashable {
        /// The address to listen on.
        package let address: ListenAddress
        /// The protocol of the clients.
        package let mode: ListenMode
        /// The clients that may use the listener.
        package let access: ClientAccess
        /// What a table says beside these.
        package let options: ListenerOptions

        /// Creates a listener.
        package init(
            _ entry: ListenEntry, _ access: ClientAccess,
            _ options: ListenerOptions = ListenerOptions()
        ) {
            address = entry.address
            mode = entry.mode
            self.access = access
            self.options = options
        }

        /// Identifies the listener: its own name, or the short form.
        package var name: String { options.name ?? ListenEntry(address, mode).text }
    }

    /// A `[[listener]]` table.
    package struct ListenerTable: Sendable, Hashable {
        /// The address and the protocol.
        package let entry: ListenEntry
        /// The listener's own allowed networks, or nil to use those of `[listen]`.
        package let networks: [IPNetwork]?
        /// What it says beside these.
        package let options: ListenerOptions

        /// Creates a table.
        package init(
            _ entry: ListenEntry, networks: [IPNetwork]? = nil,
            _ options: ListenerOptions = ListenerOptions()
        ) {
            self.entry = entry
            self.networks = networks
            self.options = options
        }

        /// What only a restart can change.
        var place: Place {
            Place(
                entry: entry, name: options.name, expectsPROXYHeader: options.expectsPROXYHeader,
                usesTPROXY: options.usesTPROXY)
        }

        /// What only a restart can change.
        struct Place: Equatable {
            let entry: ListenEntry
            let name: String?
            let expectsPROXYHeader: Bool
            let usesTPROXY: Bool
        }
    }
}
