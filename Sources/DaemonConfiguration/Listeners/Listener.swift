extension Configuration {
    /// A place where clients connect.
    package struct Listener: Sendable, Hashable {
        /// Where.
        package let address: ListenAddress
        /// What is spoken there.
        package let mode: ListenMode
        /// Which clients may use it.
        package let access: ClientAccess

        /// A listener.
        package init(_ entry: ListenEntry, _ access: ClientAccess) {
            address = entry.address
            mode = entry.mode
            self.access = access
        }

        /// What tells it from others: its short form.
        package var name: String { ListenEntry(address, mode).text }
    }

    /// A table `[[listener]]`.
    package struct ListenerTable: Sendable, Hashable {
        /// Where, and what is spoken there.
        package let entry: ListenEntry
        /// Its own guests; nil for those of `[listen]`.
        package let networks: [IPNetwork]?

        /// A table.
        package init(_ entry: ListenEntry, networks: [IPNetwork]? = nil) {
            self.entry = entry
            self.networks = networks
        }
    }
}
