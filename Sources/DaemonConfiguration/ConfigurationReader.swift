internal import ProxydConfigurationText

/// Creates a validated configuration from a file's text and the command line's overrides.
///
/// All mistakes are collected, so that one run reports them all.
struct ConfigurationReader {
    private let findings: ConfigurationFindings
    private var document: TOMLDocument?
    private var configuration = Configuration()

    /// Reads a configuration.
    /// - Parameters:
    /// - text: the file's text; empty for the built-in defaults.
    /// - file: its name, for messages.
    /// - Throws: all mistakes.
    static func read(
        _ text: String,
        file: String,
        overrides: ConfigurationOverrides = ConfigurationOverrides()
    ) throws(ConfigurationError) -> Configuration {
        var reader = ConfigurationReader(findings: ConfigurationFindings(file: file))
        reader.readDocument(text)
        let flagProblems = overrides.apply(to: &reader.configuration)
        if flagProblems.isEmpty, reader.findings.isEmpty {
            reader.checkListeners(isByFlag: !overrides.listen.isEmpty)
            reader.checkGuests()
        }
        let all = reader.findings.problems + flagProblems
        guard all.isEmpty else { throw ConfigurationError(problems: all) }
        return reader.configuration
    }

    private init(findings: ConfigurationFindings) { self.findings = findings }

    private mutating func readDocument(_ text: String) {
        do {
            let document = try TOMLDocument(text)
            self.document = document
            readTable(document.root, at: [])
            readListeners(document.root)
            readRoutes(document.root)
        } catch {
            findings.report(error.message, at: TextPosition(line: error.line, column: 1))
        }
    }

    private mutating func readTable(_ table: TOMLTable, at path: [String]) {
        for member in table.members {
            let childPath = path + [member.name]
            let joined = childPath.joined(separator: ".")
            if let key = Self.keys[joined] {
                readValue(member, of: key)
            } else if path.isEmpty, Self.arrays.contains(joined) {
                continue
            } else if path.isEmpty, Self.tables.contains(member.name) {
                guard let children = member.node.table else {
                    findings.report(
                        "\(member.name) is a table: write [\(member.name)]", at: member.position)
                    continue
                }
                readTable(children, at: childPath)
            } else {
                reportUnknown(joined, member, isTable: path.isEmpty && member.node.isTableOrTables)
            }
        }
    }

    private mutating func readValue(_ member: TOMLTable.Member, of key: ConfigurationKey) {
        do {
            try key.read(member.node, &configuration)
        } catch {
            findings.report(error, of: key.path, at: member.position)
        }
    }

    private func reportUnknown(_ joined: String, _ member: TOMLTable.Member, isTable: Bool) {
        let tables = (Self.tables + Self.arrays).sorted()
        let candidates = isTable ? tables : tables + Self.keys.keys.sorted()
        // A key in the wrong table is the most common mistake: its last part may be right.
        let misplaced = candidates.first { $0.split(separator: ".").last == member.name[...] }
        let meant = misplaced ?? NearMiss.of(joined, among: candidates)
        let hint = meant.map { "; did you mean \($0)?" } ?? ""
        findings.report(
            "unknown \(isTable ? "table" : "key") \(joined)\(hint)", at: member.position)
    }

    private mutating func readListeners(_ root: TOMLTable) {
        var top = TableReader(root, findings: findings)
        for var table in top.tables(Self.listenerName) {
            guard let read = Configuration.ListenerTable.read(&table) else { continue }
            configuration.listen.tables.append(read)
        }
    }

    private mutating func readRoutes(_ root: TOMLTable) {
        var top = TableReader(root, findings: findings)
        var names: Set<String> = []
        for var table in top.tables(Self.upstreamName) {
            guard let read = Configuration.Upstream.read(&table) else { continue }
            if !names.insert(read.name).inserted {
                table.report("there is an upstream named \"\(read.name)\" already", at: "name")
            }
            configuration.upstreams.append(read)
        }
        names = []
        for var table in top.tables(Self.certificateName) {
            guard let read = Configuration.ClientCertificate.read(&table) else { continue }
            if !names.insert(read.name).inserted {
                table.report(
                    "there is a client certificate named \"\(read.name)\" already", at: "name")
            }
            configuration.clientCertificates.append(read)
        }
    }

    private func checkListeners(isByFlag: Bool) {
        ListenerChecks(configuration.listen, document, isByFlag: isByFlag, findings).run()
    }

    /// Public addresses belong to others, except those that the user says are their own.
    private func checkGuests() {
        let listen = configuration.listen
        guard !listen.allowsPublicNetworks else { return }
        let path = ["listen", "allowed_client_networks"]
        report(
            listen.allowedClientNetworks, at: document?.position(of: path) ?? .start,
            "listen.allowed_client_networks")
        let written = document?.root[Self.listenerName]?.node.elements ?? []
        for (table, node) in zip(listen.tables, written) {
            let key = node.table?["allowed_client_networks"]
            report(
                table.networks ?? [], at: key?.position ?? node.position,
                "allowed_client_networks")
        }
    }

    private func report(_ networks: [IPNetwork], at position: TextPosition, _ name: String) {
        for network in networks where !network.isPrivate {
            findings.report(
                "\(name): \(network) is not private: if it is your own, "
                    + "set allow_public_networks = true under [listen]", at: position)
        }
    }

    /// `[[listener]]`.
    private static let listenerName = "listener"
    /// `[[upstream]]`.
    private static let upstreamName = "upstream"
    /// `[[client_certificate]]`.
    private static let certificateName = "client_certificate"
    private static let arrays = [listenerName, upstreamName, certificateName]
    private static let keys = Dictionary(
        uniqueKeysWithValues: ConfigurationKey.all.map { ($0.path, $0) }
    )
    private static let tables = Set(
        ConfigurationKey.all.compactMap { key in
            let parts = key.path.split(separator: ".")
            return parts.count > 1 ? String(parts[0]) : nil
        }
    )
}
