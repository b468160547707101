internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydTerminalText

/// Reads two exchanges and compares them part by part.
enum DiffWork {
    /// What came of it.
    struct Result: Sendable {
        let sides: [ExchangeRow]
        let sections: [DiffSection]
    }

    /// Decoded octets and lines of a body that are compared at most.
    private static let byteCountMax = 8 << 20
    private static let lineCountMax = 50_000
    /// Octets that are looked at between two questions whether to go on.
    private static let sliceByteCount = 1 << 20

    static func compare(_ left: ExchangeID, _ right: ExchangeID) -> Work {
        Work("diff", on: .details) { context in
            let subjects = try [left, right].map { id in
                guard let subject = try DetailSubject.read(id, again: nil, context) else {
                    throw WorkFailure("exchange \(id) is not in the store any more")
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
        if bodies.contains(where: { !$0.lines.isEmpty }) {
            let names = Set(bodies.map(\.viewer)).sorted().filter { !$0.isEmpty }
            lines.append(heading(""))
            lines.append(heading("body as " + names.joined(separator: " and ")))
            lines += try DiffSection.compare(
                bodies[0].lines, bodies[1].lines, context.isCancelled)
            for (index, body) in bodies.enumerated() where body.isCut {
                let side = index == 0 ? "left" : "right"
                lines.append(heading("the \(side) body goes on: only its beginning was compared"))
            }
        }
        return DiffSection(title, lines)
    }

    private static func heading(_ text: String) -> DiffSection.Line {
        DiffSection.Line(kind: .heading, text: ViewerLine(text, .heading))
    }

    private static func compare(
        _ subjects: [DetailSubject], _ context: WorkContext,
        _ lines: (DetailSubject) -> [ViewerLine]
    ) throws -> [DiffSection.Line] {
        try DiffSection.compare(lines(subjects[0]), lines(subjects[1]), context.isCancelled)
    }

    // MARK: Lines of one side

    private static func head(_ subject: DetailSubject, _ message: StoredMessage) -> [ViewerLine] {
        let exchange = subject.exchange
        switch message {
        case .request:
            guard let head = exchange.request.head else {
                return DetailContents.octetLines(subject.requestHead ?? [])
            }
            let first = "\(head.method.rawValue) \(head.targetText) \(head.version)"
            return [ViewerLine(first, .accent)] + DetailContents.fields(head.fields)
                + DetailContents.trailers(exchange.request.trailers)
        case .response:
            guard let response = exchange.response else {
                return [ViewerLine(subject.row.error ?? "no response", .bad)]
            }
            let head = response.head
            let first = ViewerLine(
                head.statusLineText,
                DetailContents.role(ofStatus: head.status))
            return [first] + DetailContents.fields(head.fields)
                + DetailContents.trailers(response.trailers)
        }
    }

    /// What no head says: sizes, durations, who talked to whom.
    private static func overview(_ subject: DetailSubject) -> [ViewerLine] {
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
            var line = ViewerLine("\(name): ", .key)
            line.append(value)
            return line
        }
    }

    /// The lines of a decoded body, JSON laid out, and whether there are more.
    private static func body(
        _ subject: DetailSubject, _ message: StoredMessage, _ context: WorkContext
    ) throws -> (lines: [ViewerLine], viewer: String, isCut: Bool) {
        let body = subject.body(message)
        guard body.facts.keptByteCount > 0 else { return ([], "", false) }
        body.load(body.source, upTo: byteCountMax, subject.row.id, context)
        if context.isCancelled() { throw WorkCancelled() }
        let type = viewer(body.facts)
        var viewer = type.init(body.facts, body.source)
        while !viewer.isComplete, viewer.lineCount < lineCountMax {
            let before = viewer.indexedByteCount
            viewer.advance(byteBudget: sliceByteCount)
            if context.isCancelled() { throw WorkCancelled() }
            if viewer.indexedByteCount == before { break }
        }
        let count = min(viewer.lineCount, lineCountMax)
        let isCut =
            !viewer.isComplete || viewer.lineCount > count || !body.source.extent.isComplete
        return (viewer.lines(0..<count), type.name, isCut)
    }

    /// The viewer whose lines are best to compare: one that folds nothing and draws no pictures.
    private static func viewer(_ facts: BodyFacts) -> any BodyViewer.Type {
        let unfit = [JSONTreeViewer.name, ImageViewer.name, MultipartViewer.name]
        return BodyViewers.suited(to: facts).first { !unfit.contains($0.name) } ?? HexViewer.self
    }
}
