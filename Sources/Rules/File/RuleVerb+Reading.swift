internal import ProxydCharsets
internal import ProxydConfigurationText
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

extension RuleBlock {
    /// Reads `block = STATUS | "close" | "reset" | "hang"`.
    init?(_ table: inout TableReader) {
        guard let node = table.node("block") else { return nil }
        switch node.content {
        case .integer(let status) where (200...599).contains(status): self = .status(status)
        case .integer:
            table.report("block: a status is from 200 to 599", at: "block")
            return nil
        case .string(let text) where text.text == "close": self = .close
        case .string(let text) where text.text == "reset": self = .reset
        case .string(let text) where text.text == "hang": self = .hang
        default:
            table.report(
                "block: expected a status, \"close\", \"reset\" or \"hang\"", at: "block")
            return nil
        }
    }
}

extension RuleDelay {
    private static let millisecondsMax = 600_000

    /// Reads `delay_ms = N`, with `jitter_ms`.
    init?(_ table: inout TableReader) {
        let milliseconds = table.value("delay_ms", as: Int.self)
        let jitter = table.value("jitter_ms", as: Int.self) ?? 0
        for (name, value) in [("delay_ms", milliseconds), ("jitter_ms", jitter)] {
            guard let value, !(0...RuleDelay.millisecondsMax).contains(value) else { continue }
            table.report("\(name): from 0 to \(RuleDelay.millisecondsMax)", at: name)
            return nil
        }
        guard let milliseconds else { return nil }
        self.init(milliseconds: milliseconds, jitterMilliseconds: jitter)
    }
}

extension RuleHold {
    /// Reads `hold = true`, with `timeout_s` and `otherwise`.
    init?(_ table: inout TableReader) {
        let seconds = table.value("timeout_s", as: Int.self) ?? RuleHold.secondsByDefault
        let otherwise = table.value("otherwise", as: String.self) ?? Otherwise.pass.rawValue
        guard let isHeld = table.value("hold", as: Bool.self) else { return nil }
        guard isHeld else {
            table.report("hold: write true, or omit the action", at: "hold")
            return nil
        }
        let allowed = RuleHold.secondsAllowed
        guard allowed.contains(seconds) else {
            table.report(
                "timeout_s: from \(allowed.lowerBound) to \(allowed.upperBound)", at: "timeout_s")
            return nil
        }
        guard let otherwise = Otherwise(rawValue: otherwise) else {
            table.report("otherwise: \"pass\" or \"drop\"", at: "otherwise")
            return nil
        }
        self.init(seconds: seconds, otherwise: otherwise)
    }
}

extension RemoteMapping {
    /// Reads `send_to = URL`, with `host` and `strip`.
    init?(_ table: inout TableReader) {
        let host = table.value("host", as: String.self)
        let stripped = table.value("strip", as: String.self)
        guard let text = table.value("send_to", as: String.self) else { return nil }
        guard let server = try? EffectiveTarget.absoluteURL(Array(text.utf8).span),
            server.query == nil
        else {
            table.report(
                "send_to takes an http or https URL without a query or fragment", at: "send_to")
            return nil
        }
        let named: Host
        switch host {
        case nil, "change"?: named = .change
        case "keep"?: named = .keep
        case let name?:
            guard RuleTarget.isAuthority(name) else {
                table.report("host: \"change\", \"keep\" or a name", at: "host")
                return nil
            }
            named = .name(name)
        }
        self.init(server: server, host: named, stripped: Array((stripped ?? "").utf8))
    }
}

extension FileMapping {
    /// Reads `serve = PATH`, with `strip`, `index`, `missing`, `headers`.
    init?(_ table: inout TableReader) {
        let stripped = table.value("strip", as: String.self) ?? ""
        let index = table.value("index", as: String.self) ?? "index.html"
        let missingName = table.value("missing", as: String.self)
        let fields = RuleField.list(&table)
        guard let path = table.text("serve")?.text else { return nil }
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            table.report("serve takes an absolute path", at: "serve")
            return nil
        }
        guard !index.contains("/"), !index.isEmpty, index != ".." else {
            table.report("index takes the name of a file", at: "index")
            return nil
        }
        let missing: Missing
        switch missingName {
        case nil, "404"?: missing = .notFound
        case "forward"?: missing = .forward
        default:
            table.report("missing: \"404\" or \"forward\"", at: "missing")
            return nil
        }
        self.init(path: path, stripped: stripped, index: index, missing: missing, fields: fields)
    }
}

extension RuleField {
    /// Reads `headers = ["Name: value", …]`. Invalid lines are reported and left out.
    static func list(_ table: inout TableReader) -> [RuleField] {
        (table.value("headers", as: [String].self) ?? []).compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                table.report("headers: write each line as \"Name: value\"", at: "headers")
                return nil
            }
            let value = ASCII.trimmed(parts[1])
            if let problem = RuleTarget.objection(toField: String(parts[0]))
                ?? RuleTarget.header("").objection(to: value)
            {
                table.report("headers: \(problem)", at: "headers")
                return nil
            }
            return RuleField(name: String(parts[0]), value: value)
        }
    }
}

extension ASCII {
    fileprivate static func trimmed(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        return String(
            decoding: bytes[trimmingOWS(bytes.span, bytes.indices)], as: UTF8.self)
    }
}

extension RuleAnswer {
    /// Reads `respond = STATUS`, with `headers`, `type`, `body`.
    init?(_ table: inout TableReader) {
        let status = table.value("respond", as: Int.self)
        let type = table.value("type", as: String.self)
        let lines = RuleField.list(&table)
        let body = table.value("body", as: String.self) ?? ""
        guard let status else { return nil }
        guard (200...599).contains(status) else {
            table.report("respond: a status is from 200 to 599", at: "respond")
            return nil
        }
        guard body.utf8.count <= RuleSet.valueByteCountMax else {
            table.report("body: more than \(RuleSet.valueByteCountMax) bytes", at: "body")
            return nil
        }
        var fields = HeaderFields()
        if let type {
            guard RuleTarget.header("").objection(to: type) == nil else {
                table.report("type: not a media type", at: "type")
                return nil
            }
            fields.append(name: "Content-Type", value: type)
        }
        for line in lines { fields.append(name: line.name, value: line.value) }
        let mediaType = fields.value(.contentType).flatMap { MediaType($0) }
        do throws(UnencodableCharacter) {
            let bytes = try BodyText.bytes(of: body, contentType: mediaType)
            self.init(status: status, fields: fields, body: bytes)
        } catch {
            table.report("body: \(error)", at: "body")
            return nil
        }
    }
}
