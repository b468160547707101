internal import TOMLKit

/// Makes a checked configuration of a file's text and the command line's overrides.
///
/// Everything that is wrong is collected, so that one run tells it all.
struct ConfigurationReader {
    private let file: String
    private let lines: ConfigurationLines
    private var configuration = Configuration()
    private var problems: [(line: Int, problem: ConfigurationProblem)] = []

    /// Reads a configuration.
    /// - Parameters:
    ///   - text: the file's text; empty for the built-in defaults.
    ///   - file: its name, for messages.
    /// - Throws: everything that is wrong.
    static func read(
        _ text: String,
        file: String,
        overrides: ConfigurationOverrides = ConfigurationOverrides()
    ) throws(ConfigurationError) -> Configuration {
        var reader = ConfigurationReader(text, file: file)
        reader.readDocument(text)
        let flagProblems = overrides.apply(to: &reader.configuration)
        if flagProblems.isEmpty, reader.problems.isEmpty {
            reader.checkListeners(overrides)
            reader.checkGuests()
        }
        let all = reader.problems.sorted { $0.line < $1.line }.map(\.problem) + flagProblems
        guard all.isEmpty else { throw ConfigurationError(problems: all) }
        return reader.configuration
    }

    private init(_ text: String, file: String) {
        self.file = file
        lines = ConfigurationLines(text)
    }

    private mutating func readDocument(_ text: String) {
        // TOMLKit reads a C string: what follows a NUL would silently not count.
        if let nul = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<nul].count { $0 == UInt8(ascii: "\n") } + 1
            return report("the file holds a NUL character", line: line)
        }
        do {
            let root = try TOMLNode.parse(text)
            if case .table(let table) = root { readTable(table, at: []) }
        } catch {
            report(error.description, line: error.source.begin.line)
        }
    }

    private mutating func readTable(_ table: [String: TOMLNode], at path: [String]) {
        for (name, node) in table {
            let childPath = path + [name]
            let joined = childPath.joined(separator: ".")
            if let key = Self.keys[joined] {
                readValue(node, of: key, at: childPath)
            } else if path.isEmpty, Self.tables.contains(name) {
                guard case .table(let children) = node else {
                    report("\(name) is a table: write [\(name)]", at: childPath)
                    continue
                }
                readTable(children, at: childPath)
            } else {
                reportUnknown(joined, at: childPath, isTable: path.isEmpty && node.isTable)
            }
        }
    }

    private mutating func readValue(_ node: TOMLNode, of key: ConfigurationKey, at path: [String]) {
        do {
            try key.read(node, &configuration)
        } catch {
            report("\(key.path): \(error.message)", at: path)
        }
    }

    private mutating func reportUnknown(_ joined: String, at path: [String], isTable: Bool) {
        let tables = Self.tables.sorted()
        let candidates = isTable ? tables : tables + Self.keys.keys.sorted()
        // A key under the wrong table is the commonest slip: its last part may be right.
        let misplaced = candidates.first { $0.split(separator: ".").last == path.last?[...] }
        let meant = misplaced ?? NearMiss.of(joined, among: candidates)
        let hint = meant.map { "; did you mean \($0)?" } ?? ""
        report("unknown \(isTable ? "table" : "key") \(joined)\(hint)", at: path)
    }

    /// Whoever can reach the proxy can use it: a wider door needs a list of guests.
    private mutating func checkListeners(_ overrides: ConfigurationOverrides) {
        let location = overrides.listen.isEmpty ? nil : "--listen"
        let addresses = configuration.listen.addresses
        if addresses.isEmpty {
            report("listen.addresses: expected one address or more", at: Self.listenPath, location)
        }
        guard configuration.listen.allowedClientNetworks.isEmpty else { return }
        for address in addresses where !address.isLoopback {
            report(
                "\(address.text) is open to other machines: say which may use it with "
                    + "allowed_client_networks under [listen]",
                at: Self.listenPath,
                location
            )
        }
    }

    /// Public addresses are other people's, but for those that the user knows to be their own.
    private mutating func checkGuests() {
        let listen = configuration.listen
        guard !listen.allowsPublicNetworks else { return }
        for network in listen.allowedClientNetworks where !network.isPrivate {
            report(
                "listen.allowed_client_networks: \(network) is not private: if it is your own, "
                    + "say allow_public_networks = true under [listen]",
                at: ["listen", "allowed_client_networks"])
        }
    }

    private mutating func report(_ message: String, at path: [String], _ location: String? = nil) {
        report(message, line: lines.line(of: path), location)
    }

    private mutating func report(_ message: String, line: Int, _ location: String? = nil) {
        let problem = ConfigurationProblem(
            location: location ?? "\(file):\(line)",
            message: message
        )
        problems.append((line, problem))
    }

    private static let listenPath = ["listen", "addresses"]
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
