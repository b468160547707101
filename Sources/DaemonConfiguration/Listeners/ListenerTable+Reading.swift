internal import ProxydConfigurationText

extension Configuration.ListenerTable {
    /// Reads a table; nil if it has a mistake, which is reported.
    static func read(_ table: inout TableReader) -> Configuration.ListenerTable? {
        let address = table.required(
            "address", as: ListenAddress.self, or: "a listener needs an address")
        let written = table.value("mode", as: ListenMode.Name.self)
        let name = table.has("mode") ? written : .proxy
        let reverse = ReverseKeys(&table)
        let networks = readNetworks(&table)
        let options = ListenerOptions(&table, mode: name)
        let mode: ListenMode?
        switch name {
        case .reverse: mode = reverse.route(table).map { .reverse($0) }
        case .proxy: mode = .proxy
        case .socks: mode = .socks
        case .transparent: mode = .transparent
        case nil: mode = nil
        }
        if let name, name != .reverse { reverse.refuse(table) }
        table.finish()
        guard let address, let mode else { return nil }
        return Configuration.ListenerTable(
            ListenEntry(address, mode), networks: networks, options)
    }

    private static func readNetworks(_ table: inout TableReader) -> [IPNetwork]? {
        let networks = table.value("allowed_client_networks", as: [IPNetwork].self)
        do {
            for network in networks ?? [] { try ConfigurationKey.requireNarrow(network) }
        } catch {
            table.report(
                "allowed_client_networks: \(error.message)", at: "allowed_client_networks")
        }
        return networks
    }

    /// The listener as an inline table.
    package var tomlText: String {
        var members = [
            ("address", entry.address.text.tomlText), ("mode", entry.mode.name.tomlText),
        ]
        if case .reverse(let route) = entry.mode { members += route.tomlMembers }
        members += options.tomlMembers
        if let networks { members.append(("allowed_client_networks", networks.tomlText)) }
        return "{ " + members.map { "\($0) = \($1)" }.joined(separator: ", ") + " }"
    }
}

extension ListenMode.Name: ConfigurationChoice {}
