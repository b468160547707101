internal import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Reads an action that changes a part of a message: `set`, `add`, `remove`, `replace`.
struct RuleEditReader {
    let verb: RuleVerbName
    let phase: RulePhase

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

    private func change(of target: RuleTarget, _ table: inout TableReader) -> RuleEdit.Change? {
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

    private func report(_ error: RegexError, in text: TOMLText, _ table: inout TableReader) {
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

extension RuleTarget {
    /// Reads `header:NAME`, `cookie:NAME`, `query:NAME`, `form:NAME`, `json:PATH`, or a word;
    /// returns nil if the verb does not apply to it in this phase, after reporting why.
    init?(_ text: String, in phase: RulePhase, for verb: RuleVerbName, _ report: (String) -> Void) {
        guard let target = RuleTarget(text, report) else { return nil }
        guard target.phases.contains(phase) else {
            let message = phase == .request ? "a request" : "a response"
            report("\(text): \(message) has none")
            return nil
        }
        guard target.verbs.contains(verb) else {
            report("\(verb.rawValue) cannot be done to \(text)")
            return nil
        }
        self = target
    }

    private init?(_ text: String, _ report: (String) -> Void) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            guard let word = RuleTarget.words[text] else {
                report(
                    "unknown target \(text): header:NAME, cookie:NAME, query:NAME, form:NAME, "
                        + "json:PATH, method, path, query, url, status, reason or body")
                return nil
            }
            self = word
            return
        }
        self.init(kind: parts[0], name: String(parts[1]), text, report)
    }

    private init?(kind: Substring, name: String, _ text: String, _ report: (String) -> Void) {
        switch kind {
        case "header":
            if let problem = RuleTarget.objection(toField: name) {
                report(problem)
                return nil
            }
            self = .header(name)
        case "cookie":
            guard FieldValidator.isToken(Array(name.utf8).span) else {
                report("\(text): not a cookie name")
                return nil
            }
            self = .cookie(name)
        case "query": self = .queryPair(name)
        case "form": self = .form(name)
        case "json":
            guard let path = try? JSONValuePath(name) else {
                report("\(text): write the path as a.x[2].y")
                return nil
            }
            self = .json(path)
        default:
            report("unknown target \(text)")
            return nil
        }
    }

    private static let words: [String: RuleTarget] = [
        "method": .method, "path": .path, "query": .query, "url": .url, "status": .status,
        "reason": .reason, "body": .body,
    ]

    private var phases: [RulePhase] {
        switch self {
        case .header, .cookie, .json, .body: [.request, .response]
        case .queryPair, .query, .form, .method, .path, .url: [.request]
        case .status, .reason: [.response]
        }
    }

    private var verbs: [RuleVerbName] {
        switch self {
        case .header: [.set, .add, .remove, .replace]
        case .cookie, .queryPair, .form: [.set, .add, .remove]
        case .json: [.set, .remove]
        case .query, .path, .url, .body: [.set, .replace]
        case .method, .status, .reason: [.set]
        }
    }

    /// Returns why an action must not change the fields of this name, or nil if it may.
    static func objection(toField name: String) -> String? {
        let bytes = Array(name.utf8)
        guard FieldValidator.isToken(bytes.span) else { return "\"\(name)\" is not a field name" }
        switch FieldName(bytes.span) {
        case .contentLength, .transferEncoding, .trailer:
            return "\(name) is framing, which only proxyd writes"
        case .connection, .keepAlive, .te, .upgrade, .http2Settings, .proxyAuthenticate,
            .proxyAuthorization, .proxyConnection:
            return "\(name) is a connection field, which only proxyd writes"
        default: break
        }
        return name.lowercased().hasPrefix("proxy-")
            ? "\(name) is a connection field, which only proxyd writes" : nil
    }

    /// Returns why a value cannot be inserted, or nil if it can.
    func objection(to value: String) -> String? {
        let bytes = Array(value.utf8)
        switch self {
        case .header(let name) where name.lowercased() == "host":
            return RuleTarget.isAuthority(value) ? nil : "value: expected HOST or HOST:PORT"
        case .cookie where bytes.contains(UInt8(ascii: ";")):
            return "value: a cookie cannot contain ;"
        case .header, .cookie:
            return FieldValidator.isFieldValue(bytes.span)
                ? nil : "value: no control characters, and no spaces at either end"
        case .method:
            return FieldValidator.isToken(bytes.span) && value != "CONNECT"
                ? nil : "value: not a method that a request can use"
        case .reason:
            return FieldValidator.isReason(bytes.span) ? nil : "value: not a reason phrase"
        case .status:
            return Int(value).map { (200...599).contains($0) } == true
                ? nil : "value: a status is from 200 to 599"
        case .path:
            return bytes.first == UInt8(ascii: "/") && RuleTarget.isTarget(bytes, without: "?")
                ? nil : "value: a path starts with / and is percent-encoded where needed"
        case .query:
            return bytes.isEmpty || RuleTarget.isTarget(bytes)
                ? nil : "value: a query cannot contain spaces; write %20"
        case .url:
            return (try? EffectiveTarget.absoluteURL(bytes.span)) != nil
                ? nil : "value: not an http or https URL"
        case .queryPair, .form, .json, .body: return nil
        }
    }

    /// Whether a text is a host, with or without a port.
    static func isAuthority(_ text: String) -> Bool {
        let url = try? EffectiveTarget.absoluteURL(Array("http://\(text)".utf8).span)
        return url?.origin == [UInt8(ascii: "/")] && !text.contains("/") && !text.contains("@")
    }

    /// Whether the bytes are valid in a request target.
    static func isTarget(_ bytes: [UInt8], without refused: Character? = nil) -> Bool {
        FieldValidator.isRequestTarget(bytes.span) && !bytes.contains(UInt8(ascii: "#"))
            && !(refused.map { bytes.contains($0.asciiValue ?? 0) } ?? false)
    }
}

extension RuleValue {
    /// Creates a value from a node of the file; nil for kinds that cannot be a value.
    init?(_ node: TOMLNode) {
        guard let parameter = RuleValue.parameter(node) else { return nil }
        switch node.content {
        case .string(let text): self.init(text.text)
        case .integer(let number): self.init(text: String(number), parameter: parameter)
        case .number(let number): self.init(text: String(number), parameter: parameter)
        case .boolean(let flag): self.init(text: flag ? "true" : "false", parameter: parameter)
        case .array, .table: self.init(text: "", parameter: parameter)
        case .other: return nil
        }
    }

    private static func parameter(_ node: TOMLNode) -> Parameter? {
        switch node.content {
        case .string(let text): return .string(text.text)
        case .integer(let number): return .int(Int64(number))
        case .number(let number): return number.isFinite ? .double(number) : nil
        case .boolean(let flag): return .bool(flag)
        case .array(let elements):
            let values = elements.compactMap(parameter)
            return values.count == elements.count ? .array(values) : nil
        case .table(let table):
            let members = table.members.compactMap { member in
                parameter(member.node).map { Parameter.Member(member.name, $0) }
            }
            return members.count == table.members.count ? .object(members) : nil
        case .other: return nil
        }
    }
}
