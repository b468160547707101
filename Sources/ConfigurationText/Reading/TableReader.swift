/// Reads a table key by key. What is wrong is collected; what nobody asked for is unknown.
///
/// ```
/// for var rule in top.tables("rule") {
///     let name = rule.required("name", as: String.self)
///     let limit = rule.value("limit", as: Int.self) ?? 0
///     rule.finish()
/// }
/// ```
public struct TableReader {
    /// The table.
    public let table: TOMLTable
    /// Where it begins.
    public let position: TextPosition
    /// Where problems go.
    public let findings: ConfigurationFindings
    /// `listen.`, where keys are called by their whole path.
    private let prefix: String
    private let isTop: Bool
    private var asked: [String] = []

    /// Reads all of a file by `body`, which asks for every key there may be.
    /// - Throws: everything that is wrong, the keys that `body` did not ask for included.
    public static func read<Value>(
        _ text: String, file: String, _ body: (inout TableReader) -> Value
    ) throws(ConfigurationError) -> Value {
        let findings = ConfigurationFindings(file: file)
        do {
            var top = TableReader(try TOMLDocument(text).root, findings: findings)
            let value = body(&top)
            top.finish()
            if findings.isEmpty { return value }
        } catch {
            findings.report(error.message, at: TextPosition(line: error.line, column: 1))
        }
        throw ConfigurationError(problems: findings.problems)
    }

    /// Reads what stands at the top of a file.
    public init(_ root: TOMLTable, findings: ConfigurationFindings) {
        self.init(root, at: .start, prefix: "", isTop: true, findings)
    }

    private init(
        _ table: TOMLTable, at position: TextPosition, prefix: String, isTop: Bool = false,
        _ findings: ConfigurationFindings
    ) {
        self.table = table
        self.position = position
        self.prefix = prefix
        self.isTop = isTop
        self.findings = findings
    }

    /// Whether a key is there.
    public func has(_ name: String) -> Bool { table[name] != nil }

    /// A key's value as it stands; nil where it is not there.
    public mutating func node(_ name: String) -> TOMLNode? {
        asked.append(name)
        return table[name]?.node
    }

    /// A key's value; nil where it is not there, or wrong, which is reported.
    public mutating func value<Value: ConfigurationValue>(
        _ name: String, as type: Value.Type = Value.self
    ) -> Value? {
        guard let node = node(name) else { return nil }
        do {
            return try Value(toml: node)
        } catch {
            findings.report(error, of: prefix + name, at: node.position)
            return nil
        }
    }

    /// A key's value; nil where it is wrong or not there, which is reported.
    /// - Parameter message: what is said where it is not there.
    public mutating func required<Value: ConfigurationValue>(
        _ name: String, as type: Value.Type = Value.self, or message: String? = nil
    ) -> Value? {
        if !has(name) { report(message ?? "\(prefix)\(name) is missing") }
        return value(name)
    }

    /// A string that knows its place, so that a mistake within it can be pointed at.
    public mutating func text(_ name: String) -> TOMLText? {
        guard let node = node(name) else { return nil }
        guard let text = node.text else {
            findings.report(
                "\(prefix)\(name): expected a string, found \(node.kind)", at: node.position)
            return nil
        }
        return text
    }

    /// A table in this one, whose keys are called by their whole path.
    public mutating func table(_ name: String) -> TableReader? {
        guard let node = node(name) else { return nil }
        guard let table = node.table else {
            findings.report(
                "\(prefix)\(name) is a table: write [\(prefix)\(name)]", at: node.position)
            return nil
        }
        return TableReader(table, at: node.position, prefix: "\(prefix)\(name).", findings)
    }

    /// The tables of an array, under `[[…]]` or inline; their keys are called by their names.
    public mutating func tables(_ name: String) -> [TableReader] {
        guard let node = node(name) else { return [] }
        guard case .array(let elements) = node.content else {
            findings.report(
                "\(prefix)\(name) is an array of tables: write [[\(prefix)\(name)]]",
                at: node.position)
            return []
        }
        return elements.compactMap { element in
            guard let table = element.table else {
                findings.report(
                    "\(prefix)\(name): expected a table, found \(element.kind)",
                    at: element.position)
                return nil
            }
            return TableReader(table, at: element.position, prefix: "", findings)
        }
    }

    /// Reports a problem with a key or, where that is not there, with the table.
    public func report(_ message: String, at name: String? = nil) {
        findings.report(message, at: name.flatMap { table[$0]?.position } ?? position)
    }

    /// Reports the keys that nobody asked for.
    public func finish() {
        let known = Set(asked)
        for member in table.members where !known.contains(member.name) {
            let kind = isTop && member.node.isTableOrTables ? "table" : "key"
            let hint = NearMiss.hint(for: prefix + member.name, among: asked.map { prefix + $0 })
            findings.report("unknown \(kind) \(prefix)\(member.name)\(hint)", at: member.position)
        }
    }
}

extension TOMLNode {
    /// Whether it is a table or has one in it.
    public var isTableOrTables: Bool {
        table != nil || elements?.first?.table != nil
    }
}
