internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Reads two exchanges and compares them section by section.
enum DiffWork {
    /// The result of the comparison.
    struct Result: Sendable {
        let sides: [ExchangeRow]
        let sections: [DiffSection]
    }

    static func compare(_ left: ExchangeID, _ right: ExchangeID) -> Work<Result> {
        Work("diff", on: .details) { context in
            let subjects = try [left, right].map { id in
                guard let subject = try DetailSubject.read(id, again: nil, context) else {
                    let name = try context.rows.name(of: id)
                    throw WorkFailure("exchange \(name) is no longer in the store")
                }
                return subject
            }
            return Result(
                sides: subjects.map(\.row),
                sections: try [
                    section("Request", .request, subjects, context),
                    section("Response", .response, subjects, context),
                    DiffSection(
                        "Overview", try compare(subjects, context) { overview($0) }),
                ])
        }
    }

    private static func section(
        _ title: String, _ message: StoredMessage, _ subjects: [DetailSubject],
        _ context: WorkContext
    ) throws -> DiffSection {
        var lines = try compare(subjects, context) { head($0, message) }
        let bodies = try subjects.map { try body($0, message, context) }
        lines += try DiffSection.compare(
            bodies, called: ["left", "right"], context.isCancelled)
        return DiffSection(title, lines)
    }

    private static func compare(
        _ subjects: [DetailSubject], _ context: WorkContext,
        _ lines: (DetailSubject) -> [StyledText]
    ) throws -> [DiffSection.Line] {
        try DiffSection.compare(lines(subjects[0]), lines(subjects[1]), context.isCancelled)
    }

    // MARK: Lines of one side

    private static func head(_ subject: DetailSubject, _ message: StoredMessage) -> [StyledText] {
        switch message {
        case .request:
            HeadLines.request(subject.exchange.request, malformed: subject.requestHead)
        case .response:
            HeadLines.response(subject.exchange.response, error: subject.row.error)
        }
    }

    /// Facts that are not in any head: sizes, durations, addresses.
    private static func overview(_ subject: DetailSubject) -> [StyledText] {
        let row = subject.row
        let pairs: [(String, String?)] = [
            ("url", row.url), ("state", row.state.rawValue), ("error", row.error),
            ("duration", row.durationNs.map(Quantity.duration)),
            ("latency", subject.exchange.timeline.latency.map(Quantity.duration)),
            ("request body", Quantity.bytes(row.requestBodyByteCount)),
            ("response body", Quantity.bytes(row.responseBodyByteCount)),
            ("process", row.process), ("server", row.serverAddress), ("tls", row.tlsVersion),
            ("note", row.note), ("tags", row.tags.isEmpty ? nil : row.tags.joined(separator: " ")),
        ]
        return pairs.compactMap { name, value in
            guard let value else { return nil }
            var line = StyledText("\(name): ", .key)
            line.append(value)
            return line
        }
    }

    private static func body(
        _ subject: DetailSubject, _ message: StoredMessage, _ context: WorkContext
    ) throws -> BodyLines {
        let body = subject.body(message)
        guard body.facts.keptByteCount > 0 else { return .none }
        body.load(body.source, upTo: BodyLines.byteCountMax, subject.row.id, context)
        return try BodyLines(body.facts, body.source, context.isCancelled)
    }
}
