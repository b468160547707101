internal import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydParameterCoding

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

    private static func value(
        _ node: TOMLNode, _ findings: ConfigurationFindings
    ) -> JSONValue? {
        switch node.content {
        case .string(let text): return .string(text.text)
        case .integer(let number): return .number(String(number))
        case .number(let number) where number.isFinite: return .number(String(number))
        case .boolean(let flag): return .bool(flag)
        case .array(let elements):
            return .array(elements.compactMap { value($0, findings) })
        case .number, .table, .other:
            findings.report("json: \(node.kind) is no value of JSON", at: node.position)
            return nil
        }
    }
}

extension JSONTypeName: ConfigurationChoice {}
