extension FilterExpression {
    /// Whether the subject passes: the meaning of the language, which a store's condition must
    /// share.
    func decision(_ subject: some FilterSubject) -> FilterDecision {
        decision { $0.decision(subject) }
    }

    /// When it is decided for every exchange.
    var moment: FilterMoment {
        switch self {
        case .everything: .connection
        case .all(let parts), .any(let parts): parts.lazy.map(\.moment).max() ?? .connection
        case .not(let part): part.moment
        case .test(let test): test.moment
        }
    }
}

extension FilterTest {
    func decision(_ subject: some FilterSubject) -> FilterDecision {
        if case .text(let target, let match) = self { return target.decision(match, subject) }
        guard subject.isKnown(moment) else { return .open }
        switch self {
        case .number(let column, let range):
            return FilterDecision(subject.number(column).map(range.contains) ?? false)
        case .isMarked, .text:
            return FilterDecision(
                subject.number(.pinned) == 1 || subject.text(.note) != nil || !subject.tags.isEmpty)
        }
    }

    var moment: FilterMoment {
        switch self {
        case .text(let target, _): target.moment
        case .number(let column, _): column.moment
        case .isMarked: .end
        }
    }
}

extension FilterTarget {
    func decision(
        _ match: FilterTextMatch, _ subject: some FilterSubject
    ) -> FilterDecision {
        switch self {
        case .columns(let columns):
            FilterTarget.decision(columns, \.moment, subject) {
                subject.text($0).map(match.holds) ?? false
            }
        case .digits(let column):
            FilterTarget.decision(CollectionOfOne(column), \.moment, subject) {
                subject.number($0).map { match.holds(for: String($0)) } ?? false
            }
        case .authority:
            FilterTarget.decision(CollectionOfOne(FilterTextColumn.host), \.moment, subject) {
                guard let host = subject.text($0), let port = subject.number(.port) else {
                    return false
                }
                return match.holds(for: "\(host):\(port)")
            }
        case .header(let name, let sides):
            FilterTarget.decision(sides, \.headMoment, subject) { side in
                FilterTarget.holds(match, of: name, in: subject.headerFields(of: side))
            }
        case .trailer(let name):
            FilterTarget.decision(FilterSide.allCases, \.bodyMoment, subject) { side in
                FilterTarget.holds(match, of: name, in: subject.trailerFields(of: side))
            }
        case .headerLine(let sides):
            FilterTarget.decision(sides, \.headMoment, subject) { side in
                subject.headerFields(of: side).contains {
                    match.holds(for: "\($0.name): \($0.value)")
                }
            }
        case .parameter(let name): FilterTarget.parameterDecision(name, match, subject)
        case .body(let sides):
            FilterTarget.decision(sides, \.bodyMoment, subject) { side in
                subject.decodedBody(of: side).map { match.holds(for: $0.span) } ?? false
            }
        case .tag:
            FilterTarget.decision(CollectionOfOne(FilterMoment.end), \.self, subject) { _ in
                subject.tags.contains { match.holds(for: $0) }
            }
        }
    }

    /// One place that holds is enough, whatever the unknown ones say.
    private static func decision<Place>(
        _ places: some Sequence<Place>, _ moment: (Place) -> FilterMoment,
        _ subject: some FilterSubject, _ holds: (Place) -> Bool
    ) -> FilterDecision {
        var decision = FilterDecision.fails
        for place in places {
            if !subject.isKnown(moment(place)) {
                decision = .open
            } else if holds(place) {
                return .passes
            }
        }
        return decision
    }

    /// Those of the query are known before those of a body.
    private static func parameterDecision(
        _ name: String, _ match: FilterTextMatch, _ subject: some FilterSubject
    ) -> FilterDecision {
        guard subject.isKnown(.requestHead) else { return .open }
        if subject.parameterValues(named: name).contains(where: { match.holds(for: $0 ?? "") }) {
            return .passes
        }
        return subject.isKnown(.requestBody) ? .fails : .open
    }

    /// When it is decided for every exchange.
    var moment: FilterMoment {
        switch self {
        case .columns(let columns): columns.lazy.map(\.moment).max() ?? .connection
        case .digits(let column): column.moment
        case .authority: .connection
        case .header(_, let sides), .headerLine(let sides):
            sides.lazy.map(\.headMoment).max() ?? .connection
        case .trailer: .responseBody
        case .parameter: .requestBody
        case .body(let sides): sides.lazy.map(\.bodyMoment).max() ?? .connection
        case .tag: .end
        }
    }

    /// Whether it holds for a field of a name.
    private static func holds(
        _ match: FilterTextMatch, of name: String, in fields: [(name: String, value: String)]
    ) -> Bool {
        fields.contains { isSameField($0.name, name) && match.holds(for: $0.value) }
    }

    private static func isSameField(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}
