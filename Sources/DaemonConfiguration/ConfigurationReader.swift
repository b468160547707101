package import ProxydConfigurationText
internal import Glibc
internal import Logging

extension Configuration {
    /// Reads and checks a file, and applies the command line's overrides.
    /// - Parameter file: nil for the built-in defaults.
    /// - Throws: all mistakes, including an unreadable file.
    package static func load(
        file: String?, overrides: ConfigurationOverrides = ConfigurationOverrides()
    ) throws(ConfigurationError) -> Configuration {
        guard let file else {
            return try ConfigurationReader.read("", file: "defaults", overrides: overrides)
        }
        let text: String
        do {
            text = try ConfigurationFile.contents(of: file)
        } catch {
            throw ConfigurationError(error, of: file)
        }
        return try ConfigurationReader.read(text, file: file, overrides: overrides)
    }
}

/// Creates a validated configuration from a file's text and the command line's overrides.
///
/// All mistakes are collected, so that one run reports them all.
struct ConfigurationReader {
    private let findings: ConfigurationFindings
    private var document: TOMLDocument?
    private var configuration = Configuration()

    /// - Parameter text: Empty for the built-in defaults.
    /// - Throws: All mistakes.
    static func read(
        _ text: String, file: String, overrides: ConfigurationOverrides = ConfigurationOverrides()
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
                table.networks ?? [], at: key?.position ?? node.position, "allowed_client_networks")
        }
    }

    private func report(_ networks: [IPNetwork], at position: TextPosition, _ name: String) {
        for network in networks where !network.isPrivate {
            findings.report(
                "\(name): \(network) is not private: if it is your own, "
                    + "set allow_public_networks = true under [listen]", at: position)
        }
    }

    private static let listenerName = "listener"
    private static let upstreamName = "upstream"
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

/// The command-line options that override the file.
package struct ConfigurationOverrides: Sendable, Equatable {
    /// The values of all `--listen` options; empty keeps the file's addresses.
    package var listen: [String] = []
    /// The value of `--log-level`, or nil if it was not given.
    package var logLevel: String?

    package init(listen: [String] = [], logLevel: String? = nil) {
        self.listen = listen
        self.logLevel = logLevel
    }

    /// Applies the options; returns all mistakes, each with its flag.
    package func apply(to configuration: inout Configuration) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func read<Value: ConfigurationStringValue>(_ text: String, flag: String) -> Value? {
            do {
                return try Value.value(text)
            } catch {
                problems.append(ConfigurationProblem(location: flag, message: error.message))
                return nil
            }
        }
        if !listen.isEmpty {
            configuration.listen.addresses = listen.compactMap { read($0, flag: "--listen") }
        }
        if let logLevel, let level: Logger.Level = read(logLevel, flag: "--log-level") {
            configuration.logLevel = level
        }
        return problems
    }
}

/// Finds the configuration file and the data directory from flags and the environment.
package struct ConfigurationLocator: Sendable {
    package let environment: [String: String]
    package let systemFile: String

    package init(environment: [String: String], systemFile: String = "/etc/proxyd/proxyd.toml") {
        self.environment = environment
        self.systemFile = systemFile
    }

    /// The file to read: `--config`, or `$XDG_CONFIG_HOME/proxyd/proxyd.toml` (`~/.config` if the
    /// variable is not set), or `/etc/proxyd/proxyd.toml`; nil for the built-in defaults. Only
    /// `--config` may name a file that does not exist.
    package func configurationFile(flag: String?) -> String? {
        flag ?? standardFiles.first { access($0, F_OK) == 0 }
    }

    /// The files that are tried in this order without `--config`; the first that exists is read.
    package var standardFiles: [String] {
        let userFile = base("XDG_CONFIG_HOME", underHome: ".config").map {
            $0 + "/proxyd/proxyd.toml"
        }
        return [userFile, systemFile].compactMap { $0 }
    }

    /// The rules file as an absolute path: the configuration's `rules.file`, or `rules.toml` next
    /// to the configuration file, or next to the user's default one; nil if neither is known. It
    /// need not exist.
    /// - Throws: if a relative path has no base.
    package func rulesFile(
        configured: String?, configurationFile: String?
    ) throws(ConfigurationProblem) -> String? {
        if let configured { return configured }
        if let configurationFile {
            let path = try absolute(configurationFile, flag: "--config")
            return path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex) + "rules.toml"
        }
        return base("XDG_CONFIG_HOME", underHome: ".config").map { $0 + "/proxyd/rules.toml" }
    }

    /// The data directory as an absolute path: `--data-dir`, or `$PROXYD_DATA_DIR`, or the file's
    /// `data_dir`, or `$XDG_DATA_HOME/proxyd`, or `~/.local/share/proxyd`.
    /// - Throws: if none of these is set, or a relative path has no base.
    package func dataDirectory(
        flag: String?, configured: String?
    ) throws(ConfigurationProblem) -> String {
        if let flag, !flag.isEmpty { return try absolute(flag, flag: "--data-dir") }
        if let path = nonEmpty("PROXYD_DATA_DIR") {
            return try absolute(path, flag: "PROXYD_DATA_DIR")
        }
        if let configured { return configured }
        guard let data = base("XDG_DATA_HOME", underHome: ".local/share") else {
            throw ConfigurationProblem(
                location: "--data-dir",
                message: "no data directory: use this flag, or set PROXYD_DATA_DIR or HOME"
            )
        }
        return data + "/proxyd"
    }

    /// The XDG specification requires that a relative path in a variable is ignored.
    private func base(_ variable: String, underHome folder: String) -> String? {
        if let path = nonEmpty(variable), path.hasPrefix("/") { return path }
        guard let home = nonEmpty("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/" + folder
    }

    private func nonEmpty(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func absolute(_ path: String, flag: String) throws(ConfigurationProblem) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else {
            throw ConfigurationProblem(
                location: flag,
                message: "give an absolute path: the working directory no longer exists"
            )
        }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}
