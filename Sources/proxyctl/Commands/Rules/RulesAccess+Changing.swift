internal import FoundationEssentials
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydRules
internal import ProxydSystem

/// Changes of rules, in the file or in the daemon's memory. Nothing here prints.
extension RulesAccess {
    /// Makes a change and puts it into effect.
    /// - Returns: The rules in effect, or nil if no daemon is running.
    /// - Throws: `RulesFailure`; `CommandFailure` if the daemon cannot be reached.
    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesMessage? {
        guard isTemporary else {
            let before = try readFile()
            return try write(try edited(before, change), over: before)
        }
        guard let told = try tell(RuleChangeMessage(change)) else {
            throw RulesFailure.refused(
                "no daemon is running: temporary rules exist only in its memory")
        }
        return told
    }

    private func edited(_ before: String, _ change: RuleChange) throws -> String {
        do {
            var text = try RulesText(before, file: path)
            try change.apply(to: &text)
            return text.text
        } catch let error as ConfigurationError {
            throw RulesFailure(error)
        } catch let error as RulesText.Problem {
            throw RulesFailure.refused("\(path): \(error)\(hint(error))")
        }
    }

    private func hint(_ problem: RulesText.Problem) -> String {
        guard case .noRule(let name) = problem,
            inForce?.rules.contains(where: { $0.name == name && $0.isTemporary }) ?? false
        else { return "" }
        return "; it is a temporary rule"
    }

    /// Writes the file if its text is still `before`, and puts it into effect. An invalid text is
    /// not written.
    /// - Returns: The rules in effect, or nil if no daemon is running.
    func write(_ text: String, over before: String) throws -> RulesMessage? {
        do throws(ConfigurationError) {
            _ = try RulesFile.read(text, file: path, now: SystemClock.wallNow())
        } catch {
            throw RulesFailure(error)
        }
        guard try readFile() == before else {
            throw RulesFailure.fileNotWritten(
                "\(path) was changed in the meantime: nothing was written")
        }
        guard text != before else { return inForce }
        do {
            try writeFile(text)
        } catch let failure as CommandFailure {
            throw RulesFailure.fileNotWritten(failure.description)
        }
        return try reload()
    }

    private func readFile() throws -> String {
        do {
            return try read()
        } catch let failure as CommandFailure {
            throw RulesFailure.fileNotWritten(failure.description)
        }
    }

    /// Replaces the file atomically, so that no reader sees half of it.
    private func writeFile(_ text: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = try AtomicFile(path, keepsAccess: true)
        file.sink.write(Array(text.utf8))
        try file.commit()
    }
}

extension RuleChangeMessage {
    /// The change as a message to the daemon.
    init(_ change: RuleChange) {
        switch change {
        case .add(let name, let lines, let place):
            self = .add(name: name, lines: lines, place: Place(place))
        case .replace(let name, let lines): self = .replace(name: name, lines: lines)
        case .setFilter(let name, let filter): self = .setFilter(name: name, filter: filter)
        case .switchRule(let name, let isOn): self = .switchRule(name: name, isOn: isOn)
        case .switchGroup(let name, let isOn): self = .switchGroup(name: name, isOn: isOn)
        case .move(let name, let place): self = .move(name: name, place: Place(place))
        case .remove(let name): self = .remove(name: name)
        }
    }
}

extension RuleChangeMessage.Place {
    fileprivate init(_ place: RulesText.Place) {
        switch place {
        case .first: self = .first
        case .last: self = .last
        case .before(let name): self = .before(name: name)
        case .after(let name): self = .after(name: name)
        }
    }
}
