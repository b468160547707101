internal import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Reads an action that changes a part of a message: `set`, `add`, `remove`, `replace`.
struct RuleEditReader {
    private let verb: RuleVerbName
    private let phase: RulePhase

    init(_ verb: RuleVerbName, _ phase: RulePhase) {
        self.verb = verb
        self.phase = phase
    }

    mutating func read(_ table: inout TableReader) -> RuleEdit? {
        guard let text = table.text(verb.rawValue) else { return nil }
        guard let target = RuleTarget(text.text, in: phase, for: verb, { table.report($0) }) else {
            for name in verb.options { _ = table.node(name) }
            return nil
        }
        let isByLine = isByLine(target, &table)
        return change(of: target, &table).map {
            RuleEdit(target: target, change: $0, isByLine: isByLine)
        }
    }

    private func change(
        of target: RuleTarget, _ table: inout TableReader
    ) -> RuleEdit.Change? {
        switch verb {
        case .set: return value(for: target, &table).map(RuleEdit.Change.set)
        case .add: return value(for: target, &table).map(RuleEdit.Change.add)
        case .remove:
            guard table.has("match") else { return .remove(match: nil) }
            return expression(&table).map { .remove(match: $0) }
        case .replace: return replacement(in: target, &table)
        default: return nil
        }
    }

    // MARK: Values

    private func value(for target: RuleTarget, _ table: inout TableReader) -> RuleValue? {
        guard table.has("value") else {
            table.report("\(verb.rawValue) needs a value")
            return nil
        }
        guard let node = table.node("value") else { return nil }
        guard let value = RuleValue(node) else {
            table.report("value: expected a value, found \(node.kind)", at: "value")
            return nil
        }
        if case .json = target { return checked(value, &table) }
        guard node.elements == nil, node.table == nil else {
            table.report("value: expected a string, found \(node.kind)", at: "value")
            return nil
        }
        if let problem = target.objection(to: value.text) {
            table.report(problem, at: "value")
            return nil
        }
        return checked(value, &table)
    }

    private func checked(_ value: RuleValue, _ table: inout TableReader) -> RuleValue? {
        guard value.text.utf8.count <= RuleSet.valueByteCountMax else {
            table.report("value: more than \(RuleSet.valueByteCountMax) bytes", at: "value")
            return nil
        }
        return value
    }

    // MARK: Expressions

    private func expression(_ table: inout TableReader) -> LinearRegex? {
        guard let text = table.text("match") else { return nil }
        do {
            return try LinearRegex(text.text, ignoresCase: false, isForBodies: false)
        } catch {
            report(error, in: text, &table)
            return nil
        }
    }

    private func report(
        _ error: RegexError, in text: TOMLText, _ table: inout TableReader
    ) {
        let what = error.subject == .pattern ? "bad regular expression" : "with"
        table.findings.report(
            "\(what): \(error.message)", at: text.position(ofColumn: error.column))
    }

    /// Whether the action has `each = "line"`.
    private func isByLine(_ target: RuleTarget, _ table: inout TableReader) -> Bool {
        guard verb == .replace, let each = table.value("each", as: String.self) else {
            return false
        }
        if each != "line" {
            table.report("each must be \"line\"", at: "each")
        } else if target != .body || phase != .response {
            table.report("each works only on the body of a response", at: "each")
        }
        return true
    }

    private func replacement(
        in target: RuleTarget, _ table: inout TableReader
    ) -> RuleEdit.Change? {
        guard table.has("match"), table.has("with") else {
            table.report("replace needs both match and with")
            for name in verb.options { _ = table.node(name) }
            return nil
        }
        let times = table.value("times", as: Int.self)
        let texts = (pattern: table.text("match"), template: table.text("with"))
        guard let pattern = texts.pattern, let template = texts.template else { return nil }
        if let times, times < 1 { table.report("times: at least 1", at: "times") }
        do {
            let replacement = try RegexReplacement(
                pattern: pattern.text, template: template.text, isForBodies: target == .body)
            return .replace(replacement, countMax: times)
        } catch {
            report(error, in: error.subject == .pattern ? pattern : template, &table)
            return nil
        }
    }
}
