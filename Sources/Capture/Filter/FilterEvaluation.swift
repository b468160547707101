extension FilterExpression {
    /// Whether the subject passes: the meaning of the language, which compiled SQL must share.
    func matches(_ subject: some FilterSubject) -> Bool {
        switch self {
        case .everything: true
        case .all(let parts): parts.allSatisfy { $0.matches(subject) }
        case .any(let parts): parts.contains { $0.matches(subject) }
        case .not(let part): !part.matches(subject)
        case .test(let test): test.matches(subject)
        }
    }
}

extension FilterTest {
    func matches(_ subject: some FilterSubject) -> Bool {
        switch self {
        case .text(let target, let match): target.contains(match, in: subject)
        case .number(let column, let range):
            subject.number(column).map(range.contains) ?? false
        case .isMarked:
            subject.number(.pinned) == 1 || subject.text(.note) != nil || !subject.tags.isEmpty
        }
    }
}

extension FilterTarget {
    func contains(_ match: FilterTextMatch, in subject: some FilterSubject) -> Bool {
        switch self {
        case .columns(let columns):
            return columns.contains { subject.text($0).map(match.holds) ?? false }
        case .digits(let column):
            return subject.number(column).map { match.holds(for: String($0)) } ?? false
        case .authority:
            guard let host = subject.text(.host), let port = subject.number(.port) else {
                return false
            }
            return match.holds(for: "\(host):\(port)")
        case .header(let name, let sides):
            return sides.contains { side in
                subject.headerFields(of: side).contains {
                    FilterTarget.isSameField($0.name, name) && match.holds(for: $0.value)
                }
            }
        case .headerLine(let sides):
            return sides.contains { side in
                subject.headerFields(of: side).contains {
                    match.holds(for: "\($0.name): \($0.value)")
                }
            }
        case .parameter(let name):
            return subject.parameterValues(named: name).contains { match.holds(for: $0 ?? "") }
        case .body(let sides):
            return sides.contains { side in
                subject.decodedBody(of: side).map { match.holds(for: $0.span) } ?? false
            }
        case .tag:
            return subject.tags.contains { match.holds(for: $0) }
        }
    }

    private static func isSameField(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}
