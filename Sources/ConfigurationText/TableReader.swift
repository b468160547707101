/// Reads a table key by key. Collects mistakes; reports keys that were not asked for as unknown.
///
/// ```
/// for var rule in top.tables("rule") {
///     let name = rule.required("name", as: String.self)
///     let limit = rule.value("limit", as: Int.self) ?? 0
///     rule.finish()
/// }
/// ```
public struct TableReader {
    public let table: TOMLTable
    public let position: TextPosition
    public let findings: ConfigurationFindings
    /// The prefix for keys that are named with their whole path, such as `listen.`.
    private let prefix: String
    private let isTop: Bool
    private var asked: [String] = []

    /// Reads a whole file with `body`, which must ask for every allowed key.
    /// - Throws: all mistakes, including keys that `body` did not ask for.
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

    /// Creates a reader for the top level of a file.
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

    public func has(_ name: String) -> Bool { table[name] != nil }

    public mutating func node(_ name: String) -> TOMLNode? {
        asked.append(name)
        return table[name]?.node
    }

    /// The value of a key, or nil if it does not exist or is wrong; a wrong value is reported.
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

    /// The value of a key, or nil if it is wrong or missing; both are reported.
    /// - Parameter message: the report for a missing key.
    public mutating func required<Value: ConfigurationValue>(
        _ name: String, as type: Value.Type = Value.self, or message: String? = nil
    ) -> Value? {
        if !has(name) { report(message ?? "\(prefix)\(name) is missing") }
        return value(name)
    }

    /// A string with its position, so that a mistake inside it can be located.
    public mutating func text(_ name: String) -> TOMLText? {
        guard let node = node(name) else { return nil }
        guard let text = node.text else {
            findings.report(
                "\(prefix)\(name): expected a string, found \(node.kind)", at: node.position)
            return nil
        }
        return text
    }

    /// A table within this one; its keys are named with their whole path.
    public mutating func table(_ name: String) -> TableReader? {
        guard let node = node(name) else { return nil }
        guard let table = node.table else {
            findings.report(
                "\(prefix)\(name) is a table: write [\(prefix)\(name)]", at: node.position)
            return nil
        }
        return TableReader(table, at: node.position, prefix: "\(prefix)\(name).", findings)
    }

    /// The tables of an array, as `[[…]]` or inline; their keys are named without a path.
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

    /// Reports a mistake at a key, or at the table if the key does not exist.
    public func report(_ message: String, at name: String? = nil) {
        findings.report(message, at: name.flatMap { table[$0]?.position } ?? position)
    }

    /// Reports the keys that were not asked for.
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
    /// Whether the value is a table or an array that contains one.
    public var isTableOrTables: Bool {
        table != nil || elements?.first?.table != nil
    }
}

/// Finds the name that was probably meant by an unknown one.
public enum NearMiss {
    /// The candidate with the smallest edit distance, at most 1 or a third of the name's length.
    public static func of(_ name: String, among candidates: [String]) -> String? {
        let length = name.count
        let distanceMax = max(1, length / 3)
        let best = candidates.filter { abs($0.count - length) <= distanceMax }
            .map { (name: $0, distance: distance(name, $0)) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= distanceMax else { return nil }
        return best.name
    }

    /// `; did you mean NAME?`, or nothing.
    public static func hint(for name: String, among candidates: [String]) -> String {
        of(name, among: candidates).map { "; did you mean \($0)?" } ?? ""
    }

    /// The number of letters to insert, remove, replace or exchange with a neighbour.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var rowBefore: [Int] = []
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var next = [index + 1]
            for (column, other) in right.enumerated() {
                let replaced = row[column] + (letter == other ? 0 : 1)
                var least = min(replaced, min(row[column + 1], next[column]) + 1)
                if index > 0, column > 0, letter == right[column - 1], other == left[index - 1] {
                    least = min(least, rowBefore[column - 1] + 1)
                }
                next.append(least)
            }
            (rowBefore, row) = (row, next)
        }
        return row[right.count]
    }
}
