internal import ProxydFilter
internal import ProxydHTTPModel

/// What rules do to each line of a body, and in how many they have.
struct LineEdits: Sendable {
    /// The edits of one rule.
    private struct OfRule: Sendable {
        let rule: String
        var edits: [(replacement: RegexReplacement, countMax: Int?)]
        /// Lines in which they have changed something.
        var changedCount = 0
        /// Lines that they left as they were, which had or would get too many bytes.
        var tooLongCount = 0
    }

    private var rules: [OfRule] = []

    var isEmpty: Bool { rules.isEmpty }

    /// Adds an edit of a rule behind those that there are; nothing where it is no replacement.
    mutating func append(_ edit: RuleEdit, of rule: String) {
        guard case .replace(let replacement, let countMax) = edit.change else { return }
        if rules.last?.rule != rule { rules.append(OfRule(rule: rule, edits: [])) }
        rules[rules.count - 1].edits.append((replacement, countMax))
    }

    /// Makes the edits in a line, and appends what it is then.
    mutating func change(_ line: Span<UInt8>, byteCountMax: Int, into output: inout [UInt8]) {
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
                case .changed(let bytes, _): changed = bytes
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

    /// A line is too long for all of them.
    mutating func noteTooLong() {
        for place in rules.indices { rules[place].tooLongCount += 1 }
    }

    /// What each rule did, as it is recorded.
    var applied: [AppliedRule] {
        rules.map { rule in
            var outcomes: [RuleOutcome] = []
            if rule.changedCount > 0 {
                outcomes.append(.changed("body, lines: \(rule.changedCount)"))
            }
            if rule.tooLongCount > 0 {
                outcomes.append(.notDone(EditResult.NotDone.tooLarge.reason))
            }
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
