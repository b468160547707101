internal import ProxydConfigurationText

/// Checks the listeners of a configuration against each other.
struct ListenerChecks {
    /// A listener and its position in the configuration.
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
