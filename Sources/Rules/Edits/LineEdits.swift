internal import ProxydCharsets
internal import ProxydFilter
internal import ProxydHTTPModel

/// The edits of each line of a body, by rule, and the number of lines changed.
struct LineEdits: Sendable {
    /// The edits of one rule.
    private struct OfRule: Sendable {
        let rule: String
        var edits: [(replacement: RegexReplacement, countMax: Int?)]
        /// The number of lines that they have changed.
        var changedCount = 0
        /// The number of lines left unchanged because they are, or would become, too long.
        var tooLongCount = 0
    }

    private var rules: [OfRule] = []
    /// The charset of the lines; nil for UTF-8, and for bytes that are in no known charset.
    private var charset: TextCharset?
    /// Why no line is edited; nil if lines are.
    private var problem: EditResult.NotDone?
    /// The first character of an edited line that the charset lacks.
    private var lacking: UnencodableCharacter?

    /// Sets the charset of the lines.
    mutating func read(in charset: TextCharset) {
        self.charset = charset.charset == .utf8 ? nil : TextCharset(charset.charset)
        problem = charset.charset.hasIndependentLines ? nil : .wideCharset
    }

    var isEmpty: Bool { rules.isEmpty }

    /// Appends an edit of a rule; ignores edits other than replacements.
    mutating func append(_ edit: RuleEdit, of rule: String) {
        guard case .replace(let replacement, let countMax) = edit.change else { return }
        if rules.last?.rule != rule { rules.append(OfRule(rule: rule, edits: [])) }
        rules[rules.count - 1].edits.append((replacement, countMax))
    }

    /// Applies the edits to a line in its charset, and appends the result.
    mutating func change(_ line: Span<UInt8>, byteCountMax: Int, into output: inout [UInt8]) {
        guard problem == nil else {
            return line.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
        guard let charset else {
            return changeText(line, byteCountMax: byteCountMax, into: &output)
        }
        let bytes = line.withUnsafeBufferPointer { Array($0) }
        let text = charset.utf8(of: bytes)
        var edited: [UInt8] = []
        changeText(text.span, byteCountMax: byteCountMax, into: &edited)
        do throws(UnencodableCharacter) {
            output += edited == text ? bytes : try charset.encode(edited, inPlaceOf: bytes)
        } catch {
            lacking = lacking ?? error
            output += bytes
        }
    }

    private mutating func changeText(
        _ line: Span<UInt8>, byteCountMax: Int, into output: inout [UInt8]
    ) {
        var changed: [UInt8]?
        for place in rules.indices {
            let before = changed
            for (replacement, countMax) in rules[place].edits {
                let outcome =
                    changed.map {
                        replacement.replacing(
                            in: $0.span, timesMax: countMax, byteCountMax: byteCountMax)
                    }
                    ?? replacement.replacing(
                        in: line, timesMax: countMax, byteCountMax: byteCountMax)
                switch outcome {
                case .unchanged: break
                case .tooLarge: rules[place].tooLongCount += 1
                case .changed(let bytes, _, _): changed = bytes
                }
            }
            guard let changed, changed != before else { continue }
            if before != nil || !line.isSame(as: changed) { rules[place].changedCount += 1 }
        }
        if let changed {
            output += changed
        } else {
            line.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// Counts a line that is too long for all rules.
    mutating func noteTooLong() {
        guard problem == nil else { return }
        for place in rules.indices { rules[place].tooLongCount += 1 }
    }

    /// What each rule did, in the form that is recorded.
    var applied: [AppliedRule] {
        rules.map { rule in
            var outcomes: [RuleOutcome] = []
            if rule.changedCount > 0 {
                outcomes.append(.changed("body, lines: \(rule.changedCount)"))
            }
            if rule.tooLongCount > 0 {
                outcomes.append(.notDone(EditResult.NotDone.tooLarge.reason))
            }
            if let problem { outcomes.append(.notDone(problem.reason)) }
            if let lacking { outcomes.append(.notDone(EditResult.NotDone.lacking(lacking).reason)) }
            let (word, detail) = RuleOutcome.summary(of: outcomes)
            return AppliedRule(rule: rule.rule, phase: .response, outcome: word, detail: detail)
        }
    }
}

extension Span<UInt8> {
    fileprivate func isSame(as bytes: [UInt8]) -> Bool {
        count == bytes.count && withUnsafeBufferPointer { $0.elementsEqual(bytes) }
    }
}
