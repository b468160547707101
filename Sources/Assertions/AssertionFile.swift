public import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydParameterCoding

/// Reads an assertion file.
///
/// ```toml
/// [[expect]]
/// name = "logs in once"
/// when = 'method=POST path=/login'
/// count = 1
/// ```
public struct AssertionFile {
    /// The maximum number of expectations and golden files.
    static let entryCountMax = 10_000

    private var expectations: [Expectation] = []
    private var goldens: [GoldenExpectation] = []
    private var names: Set<String> = []
    /// The current time, in nanoseconds since 1970.
    private let now: Int64

    /// - Parameter now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    /// - Throws: all mistakes of the file, each with its line.
    public static func read(
        _ text: String, file: String, now: Int64
    ) throws(ConfigurationError) -> AssertionSet {
        try TableReader.read(text, file: file) { top in
            var reader = AssertionFile(now: now)
            let scope = reader.filter("scope", &top)
            for var table in top.tables("expect") {
                reader.readExpectation(&table)
                table.finish()
            }
            for var table in top.tables("golden") {
                reader.readGolden(&table)
                table.finish()
            }
            if !top.has("expect"), !top.has("golden") {
                top.report("there is no [[expect]] and no [[golden]]: nothing would be checked")
            }
            return AssertionSet(
                scope: scope ?? .everything, expectations: reader.expectations,
                goldens: reader.goldens)
        }
    }

    private init(now: Int64) { self.now = now }

    // MARK: Tables

    private mutating func readExpectation(_ table: inout TableReader) {
        let name = name(&table)
        let when = filter("when", &table)
        let count = table.value("count", as: CountRange.self)
        let every = filter("every", &table)
        if every?.matchesEverything == true {
            table.report("every is empty: nothing would be checked", at: "every")
        }
        let p95 = table.value("p95_ms", as: Double.self)
        if let p95, !(p95 > 0) { table.report("p95_ms: more than 0", at: "p95_ms") }
        let json = json(&table)
        let sequence = sequence(&table)
        if when == nil, !table.has("when"), sequence.isEmpty, !table.has("sequence") {
            table.report("an [[expect]] needs when or sequence")
        }
        guard let name else { return }
        expectations.append(
            Expectation(
                name: name, line: table.position.line, when: when ?? .everything,
                whenParts: parts(when), count: count ?? .some, every: parts(every),
                p95Milliseconds: p95, json: json, sequence: sequence))
    }

    private mutating func readGolden(_ table: inout TableReader) {
        let name = name(&table)
        let file = table.required("file", as: String.self)
        if file?.isEmpty == true { table.report("file is empty", at: "file") }
        if let file, goldens.contains(where: { $0.file == file }) {
            table.report("another [[golden]] has this file", at: "file")
        }
        let when = filter("when", &table)
        let match = table.value("match", as: GoldenExpectation.Match.self) ?? .order
        let masks = masks(&table)
        let comparesRequests = table.value("request", as: Bool.self) ?? false
        guard let name, let file else { return }
        goldens.append(
            GoldenExpectation(
                name: name, line: table.position.line, file: file, when: when ?? .everything,
                match: match, masks: masks, comparesRequests: comparesRequests))
    }

    private mutating func name(_ table: inout TableReader) -> String? {
        let name = table.required("name", as: String.self, or: "it needs a name")
        guard let name else { return nil }
        if name.isEmpty { table.report("it needs a name", at: "name") }
        if !names.insert(name).inserted {
            table.report("there is another one named \"\(name)\"", at: "name")
        }
        if names.count == AssertionFile.entryCountMax + 1 {
            table.report("more than \(AssertionFile.entryCountMax) of them", at: "name")
        }
        return name
    }

    // MARK: Filters

    private func filter(_ name: String, _ table: inout TableReader) -> Filter? {
        table.text(name).flatMap { filter($0, table.findings) }
    }

    private func filter(_ text: TOMLText, _ findings: ConfigurationFindings) -> Filter? {
        do {
            return try Filter.parse(text.text, now: now)
        } catch {
            findings.report("\(error)", at: text.position(ofColumn: error.column))
            return nil
        }
    }

    /// The parts of a filter: a failure names the one that failed.
    private func parts(_ filter: Filter?) -> [Filter] {
        guard let filter else { return [] }
        return Filter.parts(of: filter.text).compactMap { try? Filter.parse($0, now: now) }
    }

    private func sequence(_ table: inout TableReader) -> [Filter] {
        guard let node = table.node("sequence") else { return [] }
        guard let elements = node.elements, !elements.isEmpty else {
            table.report("sequence: expected an array of filters", at: "sequence")
            return []
        }
        return elements.compactMap { element in
            guard let text = element.text else {
                table.findings.report(
                    "sequence: expected a filter, found \(element.kind)", at: element.position)
                return nil
            }
            return filter(text, table.findings)
        }
    }

    private func masks(_ table: inout TableReader) -> GoldenMasks {
        guard let node = table.node("mask") else { return GoldenMasks() }
        guard let elements = node.elements else {
            table.report("mask: expected an array of strings", at: "mask")
            return GoldenMasks()
        }
        var masks = GoldenMasks()
        for element in elements {
            guard let text = element.text else {
                table.findings.report(
                    "mask: expected a string, found \(element.kind)", at: element.position)
                continue
            }
            if let problem = masks.add(text.text) {
                table.findings.report("mask: \(problem)", at: element.position)
            }
        }
        return masks
    }
}

extension GoldenExpectation.Match: ConfigurationChoice {}

extension AssertionFile {
    private static let operators = ["length", "matches", "exists", "type"]

    /// Reads `json = { "user.id" = 7, "user.roles" = { length = ">=1" } }`.
    func json(_ table: inout TableReader) -> [JSONExpectation] {
        guard let node = table.node("json") else { return [] }
        let findings = table.findings
        guard let members = node.table?.members, !members.isEmpty else {
            table.report("json: expected a table such as { \"user.id\" = 7 }", at: "json")
            return []
        }
        return members.compactMap { member in
            guard let path = try? JSONValuePath(member.name) else {
                findings.report(
                    "json: \(member.name) is not a JSON path such as user.tags[0]",
                    at: member.position)
                return nil
            }
            return JSONExpectation(path: path, tests: AssertionFile.tests(member, findings))
        }
    }

    private static func tests(
        _ member: TOMLTable.Member, _ findings: ConfigurationFindings
    ) -> [JSONExpectation.Test] {
        guard let table = member.node.table else {
            guard let value = value(member.node, findings) else { return [] }
            return [.equals(value)]
        }
        if table.members.isEmpty {
            findings.report("json: \(member.name) says nothing", at: member.position)
        }
        return table.members.compactMap { test($0, findings) }
    }

    private static func test(
        _ member: TOMLTable.Member, _ findings: ConfigurationFindings
    ) -> JSONExpectation.Test? {
        do throws(ConfigurationValueError) {
            switch member.name {
            case "length": return .length(try CountRange(toml: member.node))
            case "exists": return .exists(try Bool(toml: member.node))
            case "type": return .type(try JSONTypeName(toml: member.node))
            case "matches": return .matches(try pattern(member.node))
            default:
                let hint = NearMiss.hint(for: member.name, among: operators)
                findings.report(
                    "json: unknown test \(member.name)\(hint): write a path in quotes, "
                        + "\"user.id\" = 7, and a test as { length = 1 }, matches, exists or type",
                    at: member.position)
                return nil
            }
        } catch {
            findings.report(error, of: member.name, at: member.node.position)
            return nil
        }
    }

    private static func pattern(_ node: TOMLNode) throws(ConfigurationValueError) -> TextPattern {
        let text = try String(toml: node)
        do {
            return try TextPattern(text)
        } catch {
            let position = node.text?.position(ofColumn: error.column)
            throw ConfigurationValueError("regular expression: \(error.message)", at: position)
        }
    }

    private static func value(_ node: TOMLNode, _ findings: ConfigurationFindings) -> JSONValue? {
        switch node.content {
        case .string(let text): return .string(text.text)
        case .integer(let number): return .number(String(number))
        case .number(let number) where number.isFinite: return .number(String(number))
        case .boolean(let flag): return .bool(flag)
        case .array(let elements): return .array(elements.compactMap { value($0, findings) })
        case .number, .table, .other:
            findings.report("json: \(node.kind) is no value of JSON", at: node.position)
            return nil
        }
    }
}

extension JSONTypeName: ConfigurationChoice {}
