internal import Capture
internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydFilter
internal import ProxydRules
internal import ProxydSystem
internal import ProxydOperations

/// Reads and changes rules, as `proxyctl rule` does.
struct StoreRuleEditing: RuleEditing {
    let directory: DataDirectory

    func rules() throws -> RulesReport { try report { $0.inForce } }

    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesReport {
        try report { try $0.change(change, isTemporary: isTemporary) }
    }

    func forgetTemporaryChanges() throws -> RulesReport { try report { try $0.tell(.forgetAll) } }

    func reload() throws -> RulesReport { try report { try $0.reload() } }

    func write(_ text: String, over before: String) throws -> RulesReport {
        try report { try $0.write(text, over: before) }
    }

    private func report(_ ask: (RulesAccess) throws -> RulesStatus?) throws -> RulesReport {
        try StoreRuleEditing.explaining {
            let access = try RulesAccess(directory)
            return try RulesReport(access, ask(access))
        }
    }

    func lines(of rule: String) throws -> String {
        try StoreRuleEditing.explaining {
            let access = try RulesAccess(directory)
            return try RulesText(try access.readInForce(), file: access.path).text(of: rule)
        }
    }

    func fileText() throws -> String {
        try StoreRuleEditing.explaining { try RulesAccess(directory).read() }
    }

    func activeText() throws -> String {
        try StoreRuleEditing.explaining { try RulesAccess(directory).readInForce() }
    }

    func map(_ order: RuleMapOrder) throws -> String {
        try StoreRuleEditing.explaining {
            let access = try RulesAccess(directory)
            let reader: any ExchangeReading = try StoreOpener.reader(directory)
            let isName = !order.file.contains("/")
            let file = isName ? RuleMapping.freePath(order.file, directory) : order.file
            let mapping = try RuleMapping(
                order.id, reader, directory, output: file,
                name: order.rule.isEmpty ? nil : order.rule)
            try mapping.make { _ = try access.change($0, isTemporary: order.isTemporary) }
            return mapping.words
        }
    }

    private static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try InterfaceFailure.explaining(body)
        } catch let failure as RulesFailure {
            guard case .fileNotWritten(let words) = failure else {
                throw RuleRefusal(.rules, failure.words)
            }
            throw RuleRefusal(.file, words)
        }
    }
}

extension RulesReport {
    /// The report of a daemon, or of the file if none is running.
    fileprivate init(_ access: RulesAccess, _ inForce: RulesStatus?) throws {
        self.init(file: access.path, isDaemonRunning: inForce != nil)
        let text = try inForce?.text ?? access.read()
        do throws(ConfigurationError) {
            let read = try RulesFile.read(text, file: access.path, now: SystemClock.wallNow())
            let told = inForce?.rulesByName ?? [:]
            let actions = (try? RulesText(text, file: access.path).actionsOfRules()) ?? [:]
            rules = read.rules.map { RuleFacts($0, told[$0.name], actions[$0.name] ?? "") }
        } catch {
            problems = error.problems.map(\.description)
        }
        guard let inForce else { return }
        if !inForce.problems.isEmpty { problems = inForce.problems }
        if !inForce.removed.isEmpty {
            remarks.append("removed: \(inForce.removed.joined(separator: ", "))")
        }
        remarks += inForce.leftOut.map { "dropped: \($0)" }
    }
}

extension RuleFacts {
    fileprivate init(_ rule: Rule, _ told: RulesStatus.Rule?, _ actions: String) {
        self.init(
            name: rule.name, filter: rule.filter.text, actions: actions,
            isEnabled: rule.isEnabled, group: rule.group, isTemporary: told?.isTemporary ?? false)
        usage = told.map {
            Usage(
                hitCount: $0.hitCount, changedCount: $0.changedCount,
                failedCount: $0.failedCount, lastHitNs: $0.lastHitNs)
        }
    }
}
