internal import ProxydConfigurationText
internal import ProxydHTTPModel

/// Reads one action: an inline table with one verb and its options.
struct RuleActionReader {
    let phase: RulePhase
    /// The current time, in nanoseconds since 1970.
    let now: Int64
    /// The names of the file's scripts.
    let scripts: [String]

    /// Returns nil if the action is invalid, after reporting why.
    func read(_ table: inout TableReader) -> RuleAction? {
        defer { table.finish() }
        guard let verb = verb(&table) else { return nil }
        refuseOptions(of: verb, &table)
        guard verb.phases.contains(phase) else {
            table.report("\(verb.rawValue) cannot be done to \(objectOfPhase)", at: verb.rawValue)
            for name in [verb.rawValue] + verb.options { _ = table.node(name) }
            return nil
        }
        let isSecret = verb.options.contains("secret") && table.value("secret") ?? false
        guard let read = readVerb(verb, &table) else { return nil }
        if isSecret, case .edit(let edit) = read, !edit.target.canBeSecret {
            table.report("\(edit.target) cannot be a secret", at: "secret")
        }
        return RuleAction(read, isSecret: isSecret)
    }

    private var objectOfPhase: String {
        switch phase {
        case .connect: "a connection"
        case .request: "a request"
        case .response: "a response"
        }
    }

    private func verb(_ table: inout TableReader) -> RuleVerbName? {
        let verbs = table.table.members.compactMap { RuleVerbName(rawValue: $0.name) }
        if verbs.count == 1 { return verbs.first }
        let names = table.table.members.map(\.name)
        if verbs.isEmpty, let name = names.first {
            let known = RuleVerbName.allCases.map(\.rawValue)
            table.report("unknown verb \(name)\(NearMiss.hint(for: name, among: known))")
        } else {
            table.report(
                "an action has one verb; this one has "
                    + (verbs.isEmpty ? "none" : verbs.map(\.rawValue).joined(separator: ", ")))
        }
        for name in names { _ = table.node(name) }
        return nil
    }

    /// Reports an option of another verb as such; any other key is reported as unknown.
    private func refuseOptions(of verb: RuleVerbName, _ table: inout TableReader) {
        for name in table.table.members.map(\.name)
        where name != verb.rawValue && !verb.options.contains(name)
            && RuleVerbName.allOptions.contains(name)
        {
            table.report("\(verb.rawValue) takes no \(name)", at: name)
            _ = table.node(name)
        }
    }

    private func readVerb(_ verb: RuleVerbName, _ table: inout TableReader) -> RuleVerb? {
        switch verb {
        case .set, .add, .remove, .replace:
            var reader = RuleEditReader(verb, phase)
            return reader.read(&table).map(RuleVerb.edit)
        case .sendTo: return RemoteMapping(&table).map(RuleVerb.sendTo)
        case .serve: return FileMapping(&table).map(RuleVerb.serve)
        case .respond: return RuleAnswer(&table).map(RuleVerb.respond)
        case .mock: return RuleMock(&table, now: now).map(RuleVerb.mock)
        case .block: return RuleBlock(&table).map(RuleVerb.block)
        case .delay: return RuleDelay(&table).map(RuleVerb.delay)
        case .throttle: return RuleThrottle(&table, in: phase).map(RuleVerb.throttle)
        case .resolve: return readAddress(&table)
        case .hold: return RuleHold(&table).map(RuleVerb.hold)
        case .run: return RuleScriptCall(&table, among: scripts).map(RuleVerb.run)
        case .tag: return readTag(&table)
        case .via: return readUpstream(&table).map(RuleVerb.via)
        case .clientCertificate:
            return readReference("client_certificate", &table).map(RuleVerb.clientCertificate)
        }
    }

    private func readAddress(_ table: inout TableReader) -> RuleVerb? {
        guard let text = table.text("resolve")?.text else { return nil }
        guard IPAddressText.isAddress(text) else {
            table.report("resolve takes an IP address", at: "resolve")
            return nil
        }
        return .resolve(address: text)
    }

    private func readUpstream(_ table: inout TableReader) -> RuleUpstream? {
        guard let reference = readReference("via", &table) else { return nil }
        return reference.name == "direct" ? .direct : .named(reference)
    }

    /// Whether the configuration has the name is checked by whoever knows the configuration.
    private func readReference(_ key: String, _ table: inout TableReader) -> RuleReference? {
        guard let text = table.text(key) else { return nil }
        guard !text.text.isEmpty else {
            table.report("\(key) takes a name", at: key)
            return nil
        }
        let line = table.table[key]?.position.line ?? table.position.line
        return RuleReference(name: text.text, line: line)
    }

    private func readTag(_ table: inout TableReader) -> RuleVerb? {
        guard let text = table.text("tag")?.text else { return nil }
        guard !text.isEmpty, text.utf8.count <= 100,
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            table.report(
                "tag takes a string of 1 to 100 bytes without control characters", at: "tag")
            return nil
        }
        return .tag(text)
    }
}
