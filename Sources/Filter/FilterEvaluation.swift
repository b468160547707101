internal import ProxydHTTPModel

extension FilterExpression {
    /// Evaluates the filter for a subject. This is the reference semantics, which a store's
    /// condition must share.
    func decision(_ subject: some FilterSubject) -> FilterDecision {
        decision { $0.decision(subject) }
    }

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
        if case .closeCode(let range) = self { return FilterTest.closeDecision(range, subject) }
        guard subject.isKnown(moment) else { return .open }
        switch self {
        case .number(let column, let range):
            return FilterDecision(subject.number(column).map(range.contains) ?? false)
        case .isMarked, .text, .closeCode:
            return FilterDecision(
                subject.number(.pinned) == 1 || subject.text(.note) != nil || !subject.tags.isEmpty)
        }
    }

    var moment: FilterMoment {
        switch self {
        case .text(let target, _): target.moment
        case .number(let column, _): column.moment
        case .isMarked, .closeCode: .end
        }
    }

    /// Either side may send a closing frame. RFC 6455 §7.4.1 defines 1006 for a connection that
    /// ended without one.
    private static func closeDecision(
        _ range: FilterNumberRange, _ subject: some FilterSubject
    ) -> FilterDecision {
        guard subject.isKnown(.requestHead) else { return .open }
        var isClosed = false
        let isFound = subject.hasMessage(among: .closings) { message in
            isClosed = true
            return message.closeCode.map(range.contains) ?? false
        }
        if isFound { return .passes }
        guard subject.isKnown(.end) else { return .open }
        return FilterDecision(
            !isClosed && range.contains(1_006) && subject.text(.spokenProtocol) == "ws"
                && subject.text(.state) != "active")
    }
}

extension FilterTarget {
    func decision(_ match: FilterTextMatch, _ subject: some FilterSubject) -> FilterDecision {
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
            FilterTarget.decision(CollectionOfOne(FilterMoment.end), \.self, subject) { _ in
                FilterSide.allCases.contains { side in
                    FilterTarget.holds(match, of: name, in: subject.trailerFields(of: side))
                }
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
        case .responseJSON(let path):
            FilterTarget.decision(CollectionOfOne(FilterSide.response), \.bodyMoment, subject) {
                _ in
                subject.responseJSONValues(at: path).contains { match.holds(for: $0 ?? "") }
            }
        case .rule:
            FilterTarget.decision(CollectionOfOne(FilterMoment.end), \.self, subject) { _ in
                subject.appliedRules.contains { match.holds(for: $0) }
            }
        case .messages(let messages, let column):
            FilterTarget.messageDecision(messages, column, match, subject)
        case .grpcMessage:
            FilterTarget.decision(CollectionOfOne(FilterMoment.end), \.self, subject) { _ in
                FilterTarget.matchesGRPCMessage(match, subject)
            }
        case .graphQL(let part):
            FilterTarget.decision(CollectionOfOne(FilterMoment.requestBody), \.self, subject) { _ in
                subject.graphQLOperations.contains { match.holds(for: part.text(of: $0)) }
            }
        }
    }

    /// One matching message is enough, regardless of the messages after it.
    private static func messageDecision(
        _ messages: FilterMessages, _ column: MessageTextColumn, _ match: FilterTextMatch,
        _ subject: some FilterSubject
    ) -> FilterDecision {
        guard subject.isKnown(.requestHead) else { return .open }
        let isFound = subject.hasMessage(among: messages) { column.holds(match, $0) }
        return isFound ? .passes : subject.isKnown(.end) ? .fails : .open
    }

    /// `grpc-message` is a field of the trailer section, of the head of a response without
    /// trailers, or of the last message of gRPC-Web.
    private static func matchesGRPCMessage(
        _ match: FilterTextMatch, _ subject: some FilterSubject
    ) -> Bool {
        guard subject.text(.requestType)?.lowercased().hasPrefix("application/grpc") == true else {
            return false
        }
        let fields = subject.trailerFields(of: .response) + subject.headerFields(of: .response)
        if let field = fields.first(where: { isSameField($0.name, "grpc-message") }) {
            return match.holds(for: GRPCStatus.message(of: field.value))
        }
        return subject.hasMessage(among: .trailers) { message in
            GRPCWebTrailers.message(in: message.bytes)
                .map { match.holds(for: GRPCStatus.message(of: $0)) } ?? false
        }
    }

    /// One matching place is enough, regardless of the unknown ones.
    private static func decision<Candidate>(
        _ candidates: some Sequence<Candidate>, _ moment: (Candidate) -> FilterMoment,
        _ subject: some FilterSubject, _ holds: (Candidate) -> Bool
    ) -> FilterDecision {
        var decision = FilterDecision.fails
        for candidate in candidates {
            if !subject.isKnown(moment(candidate)) {
                decision = .open
            } else if holds(candidate) {
                return .passes
            }
        }
        return decision
    }

    /// Parameters of the query are known before those of a body.
    private static func parameterDecision(
        _ name: String, _ match: FilterTextMatch, _ subject: some FilterSubject
    ) -> FilterDecision {
        guard subject.isKnown(.requestHead) else { return .open }
        if subject.parameterValues(named: name).contains(where: { match.holds(for: $0 ?? "") }) {
            return .passes
        }
        return subject.isKnown(.requestBody) ? .fails : .open
    }

    var moment: FilterMoment {
        switch self {
        case .columns(let columns): columns.lazy.map(\.moment).max() ?? .connection
        case .digits(let column): column.moment
        case .authority: .connection
        case .header(_, let sides), .headerLine(let sides):
            sides.lazy.map(\.headMoment).max() ?? .connection
        case .responseJSON: .responseBody
        case .parameter: .requestBody
        case .body(let sides): sides.lazy.map(\.bodyMoment).max() ?? .connection
        case .tag, .rule, .trailer, .messages, .grpcMessage: .end
        case .graphQL: .requestBody
        }
    }

    private static func holds(
        _ match: FilterTextMatch, of name: String, in fields: [(name: String, value: String)]
    ) -> Bool {
        fields.contains { isSameField($0.name, name) && match.holds(for: $0.value) }
    }

    private static func isSameField(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}

/// The result of a filter for an exchange of which not everything may be known yet.
public enum FilterDecision: Sendable, Hashable {
    /// The exchange passes, regardless of what is still to come.
    case passes
    /// The exchange does not pass, regardless of what is still to come.
    case fails
    /// The result depends on what is still to come.
    case open

    init(_ holds: Bool) { self = holds ? .passes : .fails }

    var negated: FilterDecision {
        switch self {
        case .passes: .fails
        case .fails: .passes
        case .open: .open
        }
    }
}

/// The trailer section that gRPC-Web sends as a message: lines of `name: value`.
enum GRPCWebTrailers {
    /// The value of `grpc-message`, or nil if there is none.
    static func message(in bytes: [UInt8]) -> String? {
        let isEnd = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
        for line in bytes.split(whereSeparator: isEnd) {
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard String(decoding: name, as: UTF8.self).lowercased() == "grpc-message" else {
                continue
            }
            let value = line.dropFirst(name.count + 1).drop { $0 == UInt8(ascii: " ") }
            return String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
