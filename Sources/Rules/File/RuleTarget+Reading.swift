internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

extension RuleTarget {
    /// Reads `header:NAME`, `cookie:NAME`, `query:NAME`, `form:NAME`, `json:PATH`, or a word;
    /// returns nil if the verb does not apply to it in this phase, after reporting why.
    init?(
        _ text: String, in phase: RulePhase, for verb: RuleVerbName, _ report: (String) -> Void
    ) {
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

    private init?(
        kind: Substring, name: String, _ text: String, _ report: (String) -> Void
    ) {
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
