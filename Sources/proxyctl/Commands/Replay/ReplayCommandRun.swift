internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydSystem

/// Runs a replay for a command, which waits for it: results are printed as they arrive.
struct ReplayCommandRun: Sendable {
    struct Ending: Sendable {
        var report: ReplayReport
        var failure: (any Error)?
    }

    let run: ReplayRun
    /// The share of the whole done after a result, 0 to 1; the count is that of results so far.
    let fraction: @Sendable (ReplayResult, _ count: Int) -> Double

    /// Sends everything from a source. An interruption aborts pending requests.
    func perform(
        _ source: some ReplaySource & Sendable, _ report: ReplayReport, _ isInterrupted: () -> Bool
    ) throws -> Ending {
        try BlockingWait.result(of: { await send(source, report) }, isInterrupted).get()
    }

    private func send(_ source: some ReplaySource, _ report: ReplayReport) async -> Ending {
        var ending = Ending(report: report, failure: nil)
        var progress = ProgressBar("replaying")
        do {
            try await run.run(source) { result in
                progress.finish()
                ending.report.add(result)
                let count = ending.report.sentCount + ending.report.refusedCount
                progress.show(
                    fraction(result, count), Quantity.count(count, "request"),
                    now: SystemClock.wallNow())
                return !ending.report.isOutputGone
            }
        } catch {
            ending.failure = error
        }
        progress.finish()
        return ending
    }
}

/// The exchanges that a filter selects, oldest first, read one by one.
///
/// Exchanges recorded from now on are excluded, because replays would be replayed endlessly.
struct ReplaySelection: ReplaySource, Sendable {
    private static let pageCount = 100

    private let reader: any ExchangeReading
    private let filter: Filter
    private let end: ListEnd
    private let newest: ExchangeID
    private var position = PageDirection.oldest
    private var page: ArraySlice<ExchangeRow> = []

    init(_ reader: any ExchangeReading, _ filter: Filter) throws {
        self.reader = reader
        self.filter = filter
        end = try ListEnd(of: reader)
        newest = try reader.lastExchangeID() ?? ExchangeID(rawValue: 0)
    }

    /// The number of the newest exchange at the start, for a share of progress.
    var lastNumber: Int64 { newest.rawValue }

    mutating func next() throws -> Exchange? {
        while true {
            if page.isEmpty {
                page = try reader.rows(
                    matching: filter, position, limit: ReplaySelection.pageCount)[...]
                if page.isEmpty { return nil }
            }
            guard let row = page.popFirst(), end.includes(row) else { return nil }
            position = .after(row.id)
            // An exchange that was deleted is omitted.
            if let captured = try reader.captured(row) { return captured.exchange }
        }
    }
}

/// Reports how replays compare with their originals, as one line or one JSON object each.
struct ReplayReport: Sendable {
    private static let columns: [TextTable.Column] = [
        .init(title: "ID", alignment: .right, columnCountMax: 19),
        .init(title: "REPLAY", alignment: .right, columnCountMax: 19),
        .init(title: "STATUS", columnCountMax: 13),
        .init(title: "SIZE", columnCountMax: 18),
        .init(title: "TIME", columnCountMax: 24),
        .init(title: "BODY", columnCountMax: 9),
        .init(title: "REQUEST"),
    ]
    private static let widths = [6, 6, 12, 16, 18, 9, 0]

    private let report: Report
    private let sink: any ByteSink
    private let asJSON: Bool
    private let name: @Sendable (ExchangeID) -> String
    private(set) var sentCount = 0
    private(set) var mismatchCount = 0
    private(set) var failedCount = 0
    private(set) var refusedCount = 0

    init(
        asJSON: Bool, _ environment: Environment, name: @escaping @Sendable (ExchangeID) -> String
    ) {
        report = Report(environment)
        sink = environment.output
        self.asJSON = asJSON
        self.name = name
    }

    /// Whether the output was closed by its reader.
    var isOutputGone: Bool { sink.failure != nil }

    /// Prints one result. A refused exchange has no line; its error goes to standard error.
    mutating func add(_ result: ReplayResult) {
        if result.isRefused {
            refusedCount += 1
        } else {
            sentCount += 1
            if result.error != nil { failedCount += 1 }
            if result.isMismatch { mismatchCount += 1 }
        }
        let name = name(result.originalID)
        if asJSON {
            report.json(ReplayReport.json(result, named: name))
            report.flush()
        } else if !result.isRefused {
            if sentCount == 1 {
                let titles = ReplayReport.columns.map { StyledText($0.title, .heading) }
                report.line(TextTable.line(titles, ReplayReport.columns, ReplayReport.widths))
            }
            var widths = ReplayReport.widths
            widths[0] = max(widths[0], name.count)
            report.line(
                TextTable.line(
                    ReplayReport.cells(result, named: name), ReplayReport.columns, widths))
            report.flush()
        }
        if result.isRefused, let error = result.error {
            Report.warn("exchange \(name): \(error.messageWithRemedy)")
        }
    }

    /// Prints a summary such as `12 replayed: 11 as before, 1 different (1 failed)`.
    func finish() {
        guard !asJSON, sentCount + refusedCount > 1 else { return }
        var text = "\(sentCount) replayed: \(sentCount - mismatchCount) as before"
        if mismatchCount > 0 { text += ", \(mismatchCount) different" }
        if failedCount > 0 { text += " (\(failedCount) failed)" }
        if refusedCount > 0 { text += "; \(refusedCount) could not be sent" }
        report.line(StyledText(text))
    }

    // MARK: One result

    private static func cells(_ result: ReplayResult, named name: String) -> [StyledText] {
        let original = result.original
        let replay = result.replay
        return [
            StyledText(name, .dim),
            StyledText(result.id.map { String($0.rawValue) } ?? "-", .dim),
            change(
                original.status.map(String.init) ?? "-",
                replay?.status.map(String.init) ?? "failed",
                Style(replay?.status.map(Style.Role.ofStatus) ?? .bad)),
            change(
                Quantity.bytes(original.bodyByteCount),
                Quantity.bytes(replay?.bodyByteCount ?? 0), .plain),
            change(
                original.durationNs.map(Quantity.duration) ?? "-",
                replay?.durationNs.map(Quantity.duration) ?? "-", .plain),
            StyledText(result.body.rawValue, result.body == .different ? .notice : .plain),
            request(result),
        ]
    }

    /// One value if both are equal, otherwise both.
    private static func change(_ before: String, _ after: String, _ style: Style) -> StyledText {
        before == after
            ? StyledText(after, style) : StyledText("\(before) > ") + StyledText(after, style)
    }

    private static func request(_ result: ReplayResult) -> StyledText {
        var text = StyledText()
        if let request = result.request { text.append("\(request.method) \(request.url)") }
        if let error = result.error { text.append("  \(error.messageWithRemedy)", .bad) }
        return text
    }

    static func json(_ result: ReplayResult, named name: String) -> JSONValue {
        .members([
            ("replay_of", ExchangeNameJSON.value(name)),
            ("id", .integer(result.id?.rawValue)),
            ("round", .integer(result.round)),
            ("method", .text(result.request?.method.rawValue)),
            ("url", .text(result.request?.url.description)),
            ("original", json(result.original)),
            ("replay", result.replay.map(json) ?? .null),
            ("status_same", result.isRefused ? .null : .bool(result.isStatusSame)),
            ("size_same", result.isRefused ? .null : .bool(result.isSizeSame)),
            ("body", .string(result.body.rawValue)),
            ("mismatch", .bool(result.isMismatch)),
            ("error", .text(result.error?.messageWithRemedy)),
        ])
    }

    private static func json(_ outcome: ReplayResult.Outcome) -> JSONValue {
        .members([
            ("status", .integer(outcome.status)),
            ("body_bytes", .integer(outcome.bodyByteCount)),
            ("duration_ms", .milliseconds(outcome.durationNs)),
            ("error", .text(outcome.failure?.description)),
        ])
    }
}
