internal import ProxydCharsets
public import ProxydConfigurationText
internal import ProxydFilter
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
            table.report("block: expected a status, \"close\", \"reset\" or \"hang\"", at: "block")
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
        return String(decoding: bytes[trimmingOWS(bytes.span, bytes.indices)], as: UTF8.self)
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

extension RuleMock {
    /// Reads `mock = FILTER`, with `match`, `ignore`, `order`, `unmatched`, `refresh`, `pace`.
    /// - Parameter now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    init?(_ table: inout TableReader, now: Int64) {
        let filter = RuleMock.filter(&table, now: now)
        let matching = RuleMock.matching(&table)
        let unmatched = RuleMock.unmatched(&table)
        order = table.value("order", as: MockOrder.self) ?? .thenLast
        isRefreshed = table.value("refresh", as: Bool.self) ?? false
        pace = table.value("pace", as: Pace.self) ?? .atOnce
        guard let filter, let matching, let unmatched else { return nil }
        self.filter = filter
        self.matching = matching
        self.unmatched = unmatched
    }

    private static func filter(_ table: inout TableReader, now: Int64) -> Filter? {
        guard let text = table.text("mock") else { return nil }
        do {
            return try Filter.parse(text.text, now: now)
        } catch {
            table.findings.report("\(error)", at: text.position(ofColumn: error.column))
            return nil
        }
    }

    private static func matching(_ table: inout TableReader) -> MockMatching? {
        let match = table.value("match", as: [String].self) ?? []
        let ignore = table.value("ignore", as: [String].self) ?? []
        do {
            return try MockMatching(match: match, ignore: ignore)
        } catch {
            let name = error.list == .match ? "match" : "ignore"
            table.report("\(name): \(error.message)", at: name)
            return nil
        }
    }

    /// Returns nil if the value is invalid, after reporting why.
    private static func unmatched(_ table: inout TableReader) -> Unmatched? {
        guard let node = table.node("unmatched") else { return .status(502) }
        switch node.content {
        case .integer(let status) where (200...599).contains(status): return .status(status)
        case .string(let text) where text.text == "close": return .close
        case .string(let text) where text.text == "forward": return .forward
        default:
            table.report(
                "unmatched: expected a status from 200 to 599, \"close\" or \"forward\"",
                at: "unmatched")
            return nil
        }
    }
}

extension MockOrder: ConfigurationChoice {}
extension RuleMock.Pace: ConfigurationChoice {}

extension RuleScript {
    /// Reads a `[[script]]` table; returns nil if it is invalid, after reporting why.
    init?(_ table: inout TableReader) {
        let name = table.required("name", as: String.self, or: "a script needs a name")
        let command = table.required(
            "command", as: [String].self, or: "a script needs a command: [\"python3\", \"hook.py\"]"
        )
        let workerCount = table.value("workers", as: Int.self) ?? 1
        let timeout =
            table.value("timeout_ms", as: Int.self) ?? RuleScript.timeoutMillisecondsByDefault
        let readable = table.value("reads", as: [String].self) ?? []
        let usesNetwork = table.value("network", as: Bool.self) ?? false
        let memory =
            table.value("memory_mib", as: Int.self) ?? RuleScript.memoryMebibyteCountByDefault
        let processCount =
            table.value("processes", as: Int.self) ?? RuleScript.processCountByDefault
        RuleScript.check(memory, RuleScript.memoryMebibyteCountAllowed, "memory_mib", table)
        RuleScript.check(processCount, RuleScript.processCountAllowed, "processes", table)
        RuleScript.check(workerCount, RuleScript.workerCountAllowed, "workers", table)
        RuleScript.check(timeout, RuleScript.timeoutMillisecondsAllowed, "timeout_ms", table)
        if let name, !RuleScript.isName(name) {
            table.report("name: 1 to 64 letters, digits, - and _", at: "name")
        }
        if let command, !RuleScript.isCommand(command) {
            table.report(
                "command: a program and its arguments, at most \(RuleScript.wordCountMax) words",
                at: "command")
        }
        for path in readable where !path.hasPrefix("/") || path.utf8.contains(0) {
            table.report("reads: \(path) is not an absolute path", at: "reads")
        }
        guard let name, let command else { return nil }
        self.init(
            name: name, line: table.position.line,
            program: Program(
                command: command, workerCount: workerCount, readable: readable,
                usesNetwork: usesNetwork, memoryMebibyteCount: memory,
                processCount: processCount), timeoutMilliseconds: timeout)
    }

    private static func check(
        _ number: Int, _ allowed: ClosedRange<Int>, _ key: String, _ table: TableReader
    ) {
        guard !allowed.contains(number) else { return }
        table.report("\(key): from \(allowed.lowerBound) to \(allowed.upperBound)", at: key)
    }

    /// The name is also used for a folder.
    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_".utf8.contains($0) }
    }

    private static func isCommand(_ command: [String]) -> Bool {
        (1...wordCountMax).contains(command.count) && command.first?.isEmpty == false
            && command.allSatisfy {
                !$0.utf8.contains(0) && $0.utf8.count <= RuleSet.valueByteCountMax
            }
    }
}

extension RuleScriptCall {
    /// Reads `run = NAME`, with `body`, `timeout_ms` and `otherwise`.
    /// - Parameter scripts: The names of the file's scripts.
    init?(_ table: inout TableReader, among scripts: [String]) {
        let sendsBody = table.value("body", as: Bool.self) ?? false
        let timeout = table.value("timeout_ms", as: Int.self)
        let otherwise = table.value("otherwise", as: String.self) ?? Otherwise.pass.rawValue
        guard let name = table.value("run", as: String.self) else { return nil }
        guard scripts.contains(name) else {
            table.report(
                "run: there is no script named \"\(name)\""
                    + NearMiss.hint(for: name, among: scripts), at: "run")
            return nil
        }
        let allowed = RuleScript.timeoutMillisecondsAllowed
        if let timeout, !allowed.contains(timeout) {
            table.report(
                "timeout_ms: from \(allowed.lowerBound) to \(allowed.upperBound)", at: "timeout_ms")
            return nil
        }
        guard let otherwise = Otherwise(rawValue: otherwise) else {
            table.report("otherwise: \"pass\" or \"fail\"", at: "otherwise")
            return nil
        }
        self.init(
            script: name, sendsBody: sendsBody, timeoutMilliseconds: timeout, otherwise: otherwise)
    }
}

extension RuleThrottle {
    /// Reads `throttle = "slow-3g"`, or a table of numbers.
    init?(_ table: inout TableReader, in phase: RulePhase) {
        guard let node = table.node("throttle") else { return nil }
        switch node.content {
        case .string(let text):
            guard let preset = ThrottlePreset(rawValue: text.text) else {
                let names = ThrottlePreset.allCases.map(\.rawValue)
                let hint = NearMiss.hint(for: text.text, among: names)
                table.report("unknown network \(text.text)\(hint)", at: "throttle")
                return nil
            }
            guard preset != .offline || phase != .response else {
                table.report(
                    "offline is too late here: a response has already arrived", at: "throttle")
                return nil
            }
            self.init(profile: preset.profile, scope: .rule, name: preset.rawValue)
        case .table:
            guard var numbers = table.table("throttle") else { return nil }
            self.init(numbers: &numbers)
        default:
            table.report("throttle takes the name of a network or a table", at: "throttle")
            return nil
        }
    }

    /// A rate of zero would stall exchanges forever.
    private static let kbpsRange = 1...ThrottleProfile.kbpsRange.upperBound

    private init(numbers table: inout TableReader) {
        let scope = table.value("scope", as: ThrottleScope.self) ?? .rule
        let profile = ThrottleProfile(
            downKbps: RuleThrottle.number("down_kbps", RuleThrottle.kbpsRange, &table),
            upKbps: RuleThrottle.number("up_kbps", RuleThrottle.kbpsRange, &table),
            latencyMs: RuleThrottle.number("latency_ms", ThrottleProfile.latencyMsRange, &table)
                ?? 0,
            stallPercent: RuleThrottle.percent("stall_percent", &table),
            failPer10k: RuleThrottle.percent("fail_per_10k", &table),
            cutAfter: RuleThrottle.byteCount("cut_after", &table),
            seed: table.value("seed", as: Int.self).map { UInt64(bitPattern: Int64($0)) })
        table.finish()
        self.init(profile: profile, scope: scope, name: "custom")
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Int>, _ table: inout TableReader
    ) -> Int? {
        guard let value = table.value(name, as: Int.self) else { return nil }
        guard range.contains(value) else {
            table.report("\(name): from \(range.lowerBound) to \(range.upperBound)", at: name)
            return nil
        }
        return value
    }

    private static func byteCount(_ name: String, _ table: inout TableReader) -> Int64? {
        guard let value = table.value(name, as: Int.self) else { return nil }
        if value < 0 { table.report("\(name): at least 0", at: name) }
        return Int64(value)
    }

    private static func percent(_ name: String, _ table: inout TableReader) -> Double {
        guard let value = table.value(name, as: Double.self) else { return 0 }
        if !ThrottleProfile.percentRange.contains(value) {
            table.report("\(name): from 0 to 100", at: name)
        }
        return value
    }
}

extension ThrottleScope: ConfigurationChoice {}
