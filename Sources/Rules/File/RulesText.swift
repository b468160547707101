public import ProxydConfigurationText
internal import ProxydHTTPModel

/// The text of a rules file, edited in whole lines: comments and layout are kept.
///
/// A rule's lines are its `[[rule]]`, the comment directly above it, and everything up to the next
/// table that is not its own, as `[[rule.request]]` is.
public struct RulesText: Sendable {
    /// The position that a rule is moved to.
    public enum Position: Sendable, Hashable, Codable {
        case first
        case last
        case before(String)
        case after(String)

        /// The names in the protocol of the control socket.
        private enum BeforeCodingKeys: String, CodingKey {
            case _0 = "name"
        }
        private enum AfterCodingKeys: String, CodingKey {
            case _0 = "name"
        }
    }

    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case noRule(String)
        case noGroup(String)
        case nameTaken(String)
        /// The rules are written as one array, not under `[[rule]]`.
        case writtenInline
        case notOneRule
        /// The limit of temporary changes is reached.
        case tooManyChanges
        /// The rules would exceed the maximum size of a rules file.
        case tooLarge

        public var description: String {
            switch self {
            case .noRule(let name): "there is no rule named \"\(name)\""
            case .noGroup(let name): "there is no group named \"\(name)\""
            case .nameTaken(let name): "there is a rule named \"\(name)\" already"
            case .writtenInline: "the rules are not in [[rule]] tables: edit the file by hand"
            case .notOneRule: "write a single rule, under [[rule]]"
            case .tooManyChanges:
                "there are already \(TemporaryRules.changeCountMax) temporary changes: "
                    + "drop them first"
            case .tooLarge: "the rules would exceed the maximum size of the file"
            }
        }
    }

    /// A table of the file and its lines.
    struct Block {
        let rule: TOMLTable?
        let name: String?
        /// Indexes of `lines`.
        let range: Range<Int>
    }

    /// The lines without line feeds; carriage returns are kept.
    var lines: [String]
    /// `"\r"` if the file uses CR LF, otherwise empty.
    let lineEnd: String
    private let file: String

    /// Throws if the text is not valid TOML; the meaning of its rules is not checked.
    public init(_ text: String, file: String) throws(ConfigurationError) {
        self.file = file
        lines = RulesText.lines(of: text)
        lineEnd = text.utf8.contains(0x0D) ? "\r" : ""
        _ = try document()
    }

    public var text: String { lines.map { $0 + "\n" }.joined() }

    /// The names of the rules, in order.
    public var names: [String] { (try? blocks().compactMap(\.name)) ?? [] }

    public func text(of name: String) throws -> String {
        lines[try block(name).range].map { $0 + "\n" }.joined()
    }

    // MARK: Edits

    public mutating func setEnabled(_ isEnabled: Bool, rule name: String) throws {
        guard let table = try block(name).rule else { throw Problem.noRule(name) }
        if let member = table["enabled"] {
            setValue(of: member, isEnabled ? "true" : "false")
        } else if !isEnabled, let member = table["name"] {
            lines.insert("enabled = false" + lineEnd, at: member.position.line - 1)
        }
    }

    /// Enables or disables a group. One that only rules name is enabled: disabling it adds its
    /// table at the end.
    public mutating func setEnabled(_ isEnabled: Bool, group name: String) throws {
        let group = try document().root["group"]?.node.table?[name]?.node
        if let member = group?.table?["enabled"] {
            setValue(of: member, isEnabled ? "true" : "false")
            return
        }
        guard try blocks().contains(where: { $0.rule?["group"]?.node.text?.text == name }) else {
            throw Problem.noGroup(name)
        }
        guard !isEnabled else { return }
        if lines.last.map(RulesText.isBlank) == false { lines.append(lineEnd) }
        lines += ["[group.\(name.tomlText)]", "enabled = false"].map { $0 + lineEnd }
    }

    public mutating func remove(_ name: String) throws {
        lines.removeSubrange(try block(name).range)
        if lines.last.map(RulesText.isBlank) == true { lines.removeLast() }
    }

    public mutating func move(_ name: String, to position: Position) throws {
        let moved = Array(lines[try block(name).range])
        switch position {
        case .before(name), .after(name): return
        case .before(let other), .after(let other): _ = try block(other)
        case .first, .last: break
        }
        try remove(name)
        insert(moved, at: try index(of: position))
    }

    /// Adds a rule, at the end unless another position is given.
    /// - Parameter rule: The rule's lines, starting with `[[rule]]`.
    public mutating func append(
        _ rule: String, named name: String, at position: Position = .last
    ) throws {
        guard !names.contains(name) else { throw Problem.nameTaken(name) }
        insert(added(rule), at: position == .last ? lines.count : try index(of: position))
    }

    func added(_ rule: String) -> [String] { RulesText.lines(of: rule).map { $0 + lineEnd } }

    /// The index in `lines` at which lines for a position are inserted.
    private func index(of position: Position) throws -> Int {
        let blocks = try blocks().filter { $0.rule != nil }
        return switch position {
        case .first: blocks.first?.range.lowerBound ?? lines.count
        case .last: blocks.last?.range.upperBound ?? lines.count
        case .before(let other): try block(other).range.lowerBound
        case .after(let other): try block(other).range.upperBound
        }
    }

    /// Inserts lines, with an empty line between rules.
    private mutating func insert(_ added: [String], at index: Int) {
        var added = added
        while added.last.map(RulesText.isBlank) == true { added.removeLast() }
        if index > 0, !RulesText.isBlank(lines[index - 1]) { added.insert(lineEnd, at: 0) }
        if index < lines.count { added.append(lineEnd) }
        lines.insert(contentsOf: added, at: index)
    }

    private mutating func setValue(of member: TOMLTable.Member, _ word: String) {
        let position = member.node.position
        guard lines.indices.contains(position.line - 1) else { return }
        let line = lines[position.line - 1]
        let scalars = line.unicodeScalars
        let start = scalars.index(scalars.startIndex, offsetBy: position.column - 1)
        let end = scalars[start...].firstIndex { !("a"..."z").contains($0) } ?? scalars.endIndex
        lines[position.line - 1] = line[..<start] + word + line[end...]
    }

    /// Splits bytes, because Swift treats a carriage return and a line feed as one character.
    static func lines(of text: String) -> [String] {
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    static func isBlank(_ line: String) -> Bool {
        line.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }

    /// The first character of a line that is not a blank or a byte order mark.
    private static func first(of line: String) -> Unicode.Scalar? {
        line.unicodeScalars.first { $0 != " " && $0 != "\t" && $0 != "\u{FEFF}" }
    }

    // MARK: Blocks

    private func document() throws(ConfigurationError) -> TOMLDocument {
        do {
            return try TOMLDocument(text)
        } catch {
            throw ConfigurationError(
                problems: [
                    ConfigurationProblem(location: "\(file):\(error.line)", message: error.message)
                ])
        }
    }

    func block(_ name: String) throws -> Block {
        guard let block = try blocks().first(where: { $0.name == name }) else {
            throw Problem.noRule(name)
        }
        return block
    }

    func hasOnlyRules() throws -> Bool {
        try document().root.members.allSatisfy { $0.name == "rule" }
    }

    func blocks() throws -> [Block] {
        let root = try document().root
        let rules = root["rule"]?.node.elements ?? []
        let starts = RulesText.headers(root, in: lines)
        return try rules.map { node in
            let header = node.position.line - 1
            guard let position = starts.firstIndex(of: header), let table = node.table else {
                throw Problem.writtenInline
            }
            let end =
                position + 1 < starts.count ? beginning(of: starts[position + 1]) : lines.count
            return Block(
                rule: table, name: table["name"]?.node.text?.text,
                range: beginning(of: header)..<end)
        }
    }

    /// The indexes of lines that are table headers. A line of a string may look like one, but is
    /// not a table of the document.
    static func headers(_ root: TOMLTable, in lines: [String]) -> [Int] {
        var tables: Set<Int> = []
        for member in root.members { collect(member, isRule: member.name == "rule", into: &tables) }
        return tables.sorted().filter { line in
            lines.indices.contains(line) && first(of: lines[line]) == "["
        }
    }

    /// - Parameter isRule: Whether tables within an element belong to its lines.
    private static func collect(
        _ member: TOMLTable.Member, isRule: Bool, into lines: inout Set<Int>
    ) {
        for node in [member.node] + (member.node.elements ?? []) {
            guard let table = node.table else { continue }
            lines.insert(node.position.line - 1)
            if isRule { continue }
            for inner in table.members { collect(inner, isRule: false, into: &lines) }
        }
    }

    /// Whether no string or array continues from before a line.
    private func isComplete(before line: Int) -> Bool {
        (try? TOMLDocument(lines[..<line].map { $0 + "\n" }.joined())) != nil
    }

    /// Where the lines of a header start, including the comment directly above it.
    private func beginning(of header: Int) -> Int {
        var start = header
        while start > 0, RulesText.first(of: lines[start - 1]) == "#" { start -= 1 }
        // A line that looks like a comment may be the end of a string that started before.
        while start < header, !isComplete(before: start) { start += 1 }
        return start
    }

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

    /// The actions of each rule by name, on one line each: without comments and brackets.
    package func actionsOfRules() throws -> [String: String] {
        try linesOfRules().mapValues(RulesText.actions)
    }

    private enum ActionPlace {
        case elsewhere
        /// `request = [ … ]`, over any number of lines.
        case array
        /// `[[rule.request]]`, whose keys are the action's.
        case table
    }

    private static func actions(in lines: [String]) -> String {
        var phases: [(name: String, words: [Substring])] = []
        var place = ActionPlace.elsewhere
        for line in lines {
            let words = line.split(separator: " ")
            guard let first = words.first, first.first != "#" else { continue }
            let isKey = words.dropFirst().first == "=" && line.first != " "
            if first.hasPrefix("[[rule.") {
                place = .table
                phases.append((String(first.dropFirst(7).dropLast(2)), []))
            } else if isKey, place != .table {
                place = RulePhase(rawValue: String(first)) == nil ? .elsewhere : .array
                if place == .array { phases.append((String(first), Array(words.dropFirst(2)))) }
            } else if place != .elsewhere {
                phases[phases.count - 1].words += words
            }
        }
        return phases.map { "\($0.name): \(unbracketed($0.words.joined(separator: " ")))" }
            .joined(separator: "; ")
    }

    private static func unbracketed(_ text: String) -> String {
        guard text.first == "[", text.last == "]" else { return text }
        let inner = text.dropFirst().dropLast()
        let ends: Set<Character> = [" ", ","]
        guard let last = inner.lastIndex(where: { !ends.contains($0) }) else { return "" }
        return String(inner[...last].drop { $0 == " " })
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
            guard let position = starts.firstIndex(of: header), let rule = node.table else {
                return [:]
            }
            guard let name = rule["name"]?.node.text?.text else { continue }
            let end = position + 1 < starts.count ? starts[position + 1] : lines.count
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
