internal import ProxydConfigurationText
internal import ProxydHTTPModel

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
        return Configuration.ListenerTable(ListenEntry(address, mode), networks: networks, options)
    }

    private static func readNetworks(_ table: inout TableReader) -> [IPNetwork]? {
        let networks = table.value("allowed_client_networks", as: [IPNetwork].self)
        do {
            for network in networks ?? [] { try ConfigurationKey.requireNarrow(network) }
        } catch {
            table.report("allowed_client_networks: \(error.message)", at: "allowed_client_networks")
        }
        return networks
    }

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

extension ListenerOptions {
    /// Reads the keys of a table; reports mistakes.
    init(_ table: inout TableReader, mode: ListenMode.Name?) {
        self.init()
        name = table.value("name")
        if let name, !Self.isName(name) {
            table.report(
                "name: \"\(name)\" is not a name: use letters, digits, and . _ -", at: "name")
        }
        expectsPROXYHeader = table.value("proxy_protocol") ?? false
        let trusted = table.value("trusted", as: [IPNetwork].self)
        trustedNetworks = trusted ?? []
        usesTPROXY = table.value("tproxy") ?? false
        usersFile = table.value("users_file")
        check(table, mode, isTrustedMistaken: trusted == nil && table.has("trusted"))
    }

    /// The characters that the service manager accepts in the name of a socket, but for those that
    /// would be mistaken for a short form.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "._-".utf8.contains($0) }
    }

    private func check(_ table: TableReader, _ mode: ListenMode.Name?, isTrustedMistaken: Bool) {
        if usesTPROXY, let mode, mode != .transparent {
            table.report("tproxy is only for mode = \"transparent\"", at: "tproxy")
        }
        if let usersFile { checkUsers(usersFile, table, mode) }
        if expectsPROXYHeader, mode == .transparent {
            table.report(
                "proxy_protocol cannot be used with mode = \"transparent\": the kernel redirects "
                    + "connections of clients, which start with no header", at: "proxy_protocol")
        }
        if expectsPROXYHeader, trustedNetworks.isEmpty, !isTrustedMistaken {
            table.report(
                "proxy_protocol also needs trusted, the networks of the load balancers: any other "
                    + "client could claim to be someone else", at: "proxy_protocol")
        }
        if !expectsPROXYHeader, table.has("trusted") {
            table.report("trusted has no meaning without proxy_protocol = true", at: "trusted")
        }
    }

    private func checkUsers(_ file: String, _ table: TableReader, _ mode: ListenMode.Name?) {
        if mode == .reverse || mode == .transparent {
            table.report(
                "users_file is only for the modes proxy and socks: other clients do not know that "
                    + "there is a proxy to authenticate at", at: "users_file")
        }
        do {
            if !file.isEmpty { try ConfigurationKey.requireAbsolute(file) }
        } catch {
            table.report("users_file: \(error.message)", at: "users_file")
        }
    }

    var tomlMembers: [(String, String)] {
        var members: [(String, String)] = []
        if let name { members.append(("name", name.tomlText)) }
        if expectsPROXYHeader {
            members += [("proxy_protocol", "true"), ("trusted", trustedNetworks.tomlText)]
        }
        if let usersFile { members.append(("users_file", usersFile.tomlText)) }
        if usesTPROXY { members.append(("tproxy", "true")) }
        return members
    }
}

struct ListenerChecks {
    private struct Declared {
        let listener: Configuration.Listener
        let isTable: Bool
        let position: TextPosition
        let location: String?
    }

    private let findings: ConfigurationFindings
    private let listen: Configuration.Listen
    private var declared: [Declared] = []
    private let position: TextPosition

    /// - Parameter isByFlag: whether the addresses come from the command line.
    init(
        _ listen: Configuration.Listen, _ document: TOMLDocument?, isByFlag: Bool,
        _ findings: ConfigurationFindings
    ) {
        self.listen = listen
        self.findings = findings
        position = document?.position(of: ["listen", "addresses"]) ?? .start
        let written = document?.root["listen"]?.node.table?["addresses"]?.node.elements ?? []
        for (index, entry) in listen.addresses.enumerated() {
            let hasPlace = !isByFlag && index < written.count
            declared.append(
                Declared(
                    listener: Configuration.Listener(entry, listen.access), isTable: false,
                    position: hasPlace ? written[index].position : position,
                    location: isByFlag ? "--listen" : nil))
        }
        let tables = document?.root["listener"]?.node.elements ?? []
        for (listener, table) in zip(listen.tableListeners, tables) {
            declared.append(
                Declared(
                    listener: listener, isTable: true,
                    position: table.table?["address"]?.position ?? table.position, location: nil))
        }
    }

    /// Reports all mistakes.
    func run() {
        if declared.isEmpty {
            findings.report("listen.addresses: expected at least one address", at: position)
        }
        for (index, one) in declared.enumerated() {
            checkName(one, among: declared[..<index])
            checkGuests(one)
            if let other = declared[..<index].first(where: { clashes($0, one) }) {
                reportClash(one, other)
            }
        }
    }

    private func checkName(_ one: Declared, among others: ArraySlice<Declared>) {
        guard let name = one.listener.options.name else { return }
        guard others.contains(where: { $0.listener.options.name == name }) else { return }
        report("two listeners have the name \(name)", one)
    }

    /// Anyone who can reach the proxy can use it: an address reachable from outside needs a list of
    /// allowed clients.
    private func checkGuests(_ one: Declared) {
        let address = one.listener.address
        guard !address.isLoopback, one.listener.access.networks.isEmpty else { return }
        let place = one.isTable ? "next to it or under [listen]" : "under [listen]"
        report(
            "\(address.text) is open to other machines: set which may use it with "
                + "allowed_client_networks \(place)", one)
    }

    /// Whether two listeners cannot listen at the same time, or cannot be distinguished.
    private func clashes(_ one: Declared, _ other: Declared) -> Bool {
        let (left, right) = (one.listener, other.listener)
        guard left.address.port == right.address.port else { return false }
        if left.address.port == 0 { return left.name == right.name && left.access != right.access }
        return left.address.overlaps(right.address)
    }

    private func reportClash(_ one: Declared, _ other: Declared) {
        let (text, otherText) = (one.listener.address.text, other.listener.address.text)
        let isSame = one.listener.address.isSame(as: other.listener.address)
        if one.listener.address.port == 0 {
            report("\(text) is given twice with different guests: use different ports", one)
        } else if isSame {
            report("\(text) is given twice", one)
        } else {
            report("cannot listen on both \(text) and \(otherText)", one)
        }
    }

    private func report(_ message: String, _ one: Declared) {
        findings.report(message, at: one.position, location: one.location)
    }
}
