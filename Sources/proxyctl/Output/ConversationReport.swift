internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ClientLib
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// Reports how a replayed WebSocket compares with its original: two lines, or a JSON object.
struct ConversationReport {
    private static let columns: [TextTable.Column] = [
        .init(title: "ID", alignment: .right, columnCountMax: 19),
        .init(title: "REPLAY", alignment: .right, columnCountMax: 19),
        .init(title: "STATUS", columnCountMax: 13),
        .init(title: "SENT", columnCountMax: 19),
        .init(title: "RECEIVED", columnCountMax: 19),
        .init(title: "CLOSED", columnCountMax: 13),
        .init(title: "REQUEST"),
    ]
    private static let widths = [6, 6, 12, 12, 12, 12, 0]

    private let report: Report
    private let asJSON: Bool
    /// The name of the original.
    private let name: String

    init(asJSON: Bool, name: String, _ environment: Environment) {
        report = Report(environment)
        self.asJSON = asJSON
        self.name = name
    }

    func print(_ result: ConversationResult, of exchange: Exchange) {
        defer { report.flush() }
        if asJSON { return report.json(json(result, exchange)) }
        let titles = ConversationReport.columns.map { StyledText($0.title, .heading) }
        var widths = ConversationReport.widths
        widths[0] = max(widths[0], name.count)
        for cells in [titles, cells(result, exchange)] {
            report.line(TextTable.line(cells, ConversationReport.columns, widths))
        }
    }

    private func cells(
        _ result: ConversationResult, _ exchange: Exchange
    ) -> [StyledText] {
        let (original, replay) = (result.original, result.replay)
        let status = exchange.response?.status
        var request = StyledText("WS \(exchange.request.url?.description ?? "")")
        if let error = result.error { request.append("  \(error.messageWithRemedy)", .bad) }
        return [
            StyledText(name, .dim),
            StyledText(result.id.map { String($0.rawValue) } ?? "-", .dim),
            Self.change(Self.text(status), Self.text(result.status)),
            Self.change(String(original.sentCount), String(replay.sentCount)),
            Self.change(String(original.receivedCount), String(replay.receivedCount)),
            Self.change(Self.text(original.closeCode), Self.text(replay.closeCode)), request,
        ]
    }

    private static func text(_ number: Int?) -> String { number.map(String.init) ?? "-" }

    /// One value if both are equal, otherwise both.
    private static func change(_ before: String, _ after: String) -> StyledText {
        before == after
            ? StyledText(after) : StyledText("\(before) > ") + StyledText(after, .notice)
    }

    private func json(_ result: ConversationResult, _ exchange: Exchange) -> JSONValue {
        .members([
            ("replay_of", ExchangeNameJSON.value(name)),
            ("id", .integer(result.id?.rawValue)),
            ("url", .text(exchange.request.url?.description)),
            ("original", Self.json(result.original, status: exchange.response?.status)),
            ("replay", Self.json(result.replay, status: result.status)),
            ("mismatch", .bool(result.isMismatch)),
            ("error", .text(result.error?.messageWithRemedy)),
        ])
    }

    private static func json(
        _ outcome: ConversationResult.Outcome, status: Int?
    ) -> JSONValue {
        .members([
            ("status", .integer(status)),
            ("sent", .integer(outcome.sentCount)),
            ("received", .integer(outcome.receivedCount)),
            ("close_code", .integer(outcome.closeCode)),
        ])
    }
}
