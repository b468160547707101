internal import ProxydConfigurationText

extension RulesText {
    /// Replaces the lines of a rule, which may give it another name.
    /// - Parameter rule: One rule, starting with its comment or with `[[rule]]`.
    public mutating func replace(_ name: String, with rule: String) throws {
        let range = try block(name).range
        let newName = try RulesText.name(ofOne: rule)
        guard newName == name || !names.contains(newName) else { throw Problem.nameTaken(newName) }
        let blankCount = lines[range].reversed().prefix(while: RulesText.isBlank).count
        let blanks = lines[range].suffix(blankCount)
        var added = added(rule)
        while added.last.map(RulesText.isBlank) == true { added.removeLast() }
        lines.replaceSubrange(range, with: added + blanks)
    }

    /// Replaces the filter of a rule; comments on the same line are kept.
    public mutating func setFilter(_ filter: String, rule name: String) throws {
        guard let table = try block(name).rule else { throw Problem.noRule(name) }
        let written = RuleShortForm.quoted(filter)
        if let text = table["when"]?.node.text {
            setText(text, written)
        } else if let end = table["name"]?.node.text?.position(ofColumn: .max).line {
            lines.insert("when = \(written)" + lineEnd, at: min(end, lines.count))
        }
    }

    /// The lines of each rule by name, without trailing empty lines.
    func linesOfRules() throws -> [String: [String]] {
        var all: [String: [String]] = [:]
        for block in try blocks() {
            guard let name = block.name else { continue }
            let blankCount = lines[block.range].reversed().prefix(while: RulesText.isBlank).count
            all[name] = Array(lines[block.range].dropLast(blankCount))
        }
        return all
    }

    /// The text of each rule by name, without comments and the `enabled` line; empty if the rules
    /// are not written under `[[rule]]`.
    /// - Parameter root: The parsed text.
    static func textsOfRules(in text: String, _ root: TOMLTable) -> [String: String] {
        let lines = lines(of: text)
        let starts = headers(root, in: lines)
        var texts: [String: String] = [:]
        for node in root["rule"]?.node.elements ?? [] {
            let header = node.position.line - 1
            guard let place = starts.firstIndex(of: header), let rule = node.table else {
                return [:]
            }
            guard let name = rule["name"]?.node.text?.text else { continue }
            let end = place + 1 < starts.count ? starts[place + 1] : lines.count
            let switchLine = rule["enabled"].map { $0.position.line - 1 }
            texts[name] = (header..<end).filter { $0 != switchLine }.map { lines[$0] }
                .filter { !isBlank($0) && !isComment($0) }.joined(separator: "\n")
        }
        return texts
    }

    private static func isComment(_ line: String) -> Bool {
        line.first { $0 != " " && $0 != "\t" } == "#"
    }

    /// Whether another text has the same rules, line by line, in the same order.
    func hasRules(of other: RulesText) throws -> Bool {
        guard names == other.names else { return false }
        return try linesOfRules() == other.linesOfRules()
    }

    /// Returns the name of the only rule in a text.
    static func name(ofOne rule: String) throws -> String {
        let text = try RulesText(rule, file: "rule")
        let names = try text.blocks().map(\.name)
        guard names.count == 1, let name = names.first ?? nil, try text.hasOnlyRules() else {
            throw Problem.notOneRule
        }
        return name
    }

    /// Replaces a string, which may span several lines.
    private mutating func setText(_ text: TOMLText, _ written: String) {
        let start = text.position
        // The position after the closing quotes.
        let end = text.position(ofColumn: .max)
        guard lines.indices.contains(start.line - 1), lines.indices.contains(end.line - 1) else {
            return
        }
        let head = lines[start.line - 1].unicodeScalars.prefix(start.column - 1)
        let tail = lines[end.line - 1].unicodeScalars.dropFirst(end.column - 1)
        lines.replaceSubrange(
            (start.line - 1)...(end.line - 1), with: [String(head) + written + String(tail)])
    }
}
