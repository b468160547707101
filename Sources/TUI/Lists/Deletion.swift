internal import ProxydOperations
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydPresentation

/// Exchanges to delete. Pinned ones are kept.
struct Deletion: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case exchanges([ExchangeID])
        /// All that match a filter, up to a number: exchanges after the question are not included.
        case filter(String, lastID: Int64)
    }

    static let slot = "delete"
    /// The maximum number of exchange numbers in one filter, far below the filter's word limit.
    private static let idCountMax = 100

    let subject: Subject

    struct Question: Sendable, Hashable {
        let deletion: Deletion
        let count: Int64
        let pinnedCount: Int64
    }

    enum Answer: Sendable, Hashable {
        case delete(Deletion)
        case keep
    }

    /// The filters of the exchanges to delete; no exchange matches two of them.
    private func texts(_ rows: any RowSource) throws -> [String] {
        switch subject {
        case .filter(let text, let lastID):
            return [(text.isEmpty ? "" : "(\(text)) ") + "id<=\(lastID)"]
        case .exchanges(let ids):
            return try stride(from: 0, to: ids.count, by: Deletion.idCountMax).map { start in
                let part = ids[start..<min(ids.count, start + Deletion.idCountMax)]
                let tests = try part.map { "id=\(try rows.name(of: $0))" }
                return "(" + tests.joined(separator: " or ") + ")"
            }
        }
    }

    // MARK: Asking

    func counting(_ context: Context) -> Work<Question> {
        let zone = context.clock.timeZone
        return Work(Deletion.slot, on: .counts) { [self] context in
            var (count, pinnedCount): (Int64, Int64) = (0, 0)
            for text in try texts(context.rows) {
                let parsed = try ["no", "yes"].map {
                    try Filter.parse("\(text) pinned=\($0)", now: context.now, timeZone: zone)
                }
                count += try context.rows.count(parsed[0]) { _ in }
                pinnedCount += try context.rows.count(parsed[1]) { _ in }
            }
            return Question(deletion: self, count: count, pinnedCount: pinnedCount)
        }
    }

    /// Deletes the exchanges even if the screen is closed; returns the notice.
    var deleting: Work<Notice> {
        Work(Deletion.slot, on: .actions, isKept: true) { [self] context in
            let deleting = try context.hostActions.deleting.orFail("nothing can be deleted here")
            let count = try texts(context.rows).reduce(0) {
                try $0 + deleting.delete(passing: "\($1) pinned=no")
            }
            let words = Quantity.count(Int64(count), "exchange", isGrouped: true)
            return .success("deleted \(words)")
        }
    }
}

extension Deletion.Question {
    var refusal: Notice? {
        guard count == 0 else { return nil }
        return .information(
            pinnedCount == 0
                ? "there is nothing to delete"
                : "nothing was deleted: pinned ones are kept; p unpins")
    }

    var dialog: ChoiceScreen<Deletion.Answer> {
        .confirming(
            "Delete \(Quantity.count(count, "exchange", isGrouped: true))",
            yes: ("delete\(remark)", .delete(deletion)), no: ("keep", .keep))
    }

    private var remark: String {
        guard pinnedCount > 0 else { return "" }
        return "; \(Quantity.grouped(pinnedCount)) pinned \(pinnedCount == 1 ? "stays" : "stay")"
    }
}

/// Deletes the marked rows, or all that match the filter, after a confirmation.
extension ListScreen {
    /// Asks whether to delete the marked exchanges, or the selected one if none is marked.
    func startDeleting(_ context: Context) -> [Effect] {
        let ids = marks.isEmpty ? [selectedRow?.id].compactMap { $0 } : marks.sorted()
        guard !ids.isEmpty else { return [] }
        return [count(Deletion(subject: .exchanges(ids)), context)]
    }

    func startClearing(_ context: Context) -> [Effect] {
        guard let extent else { return [] }
        return [count(Deletion(subject: .filter(filter.text, lastID: extent.lastID)), context)]
    }

    private func count(_ deletion: Deletion, _ context: Context) -> Effect {
        .work(deletion.counting(context).map { .question($0) })
    }

    /// Keys meant for another screen must not answer a question that appears late.
    func ask(_ question: Deletion.Question, _ context: Context) -> [Effect] {
        guard context.isOnTop else {
            return [.notify(.information("nothing was deleted: use d or z in the list"))]
        }
        if let refusal = question.refusal { return [.notify(refusal)] }
        return [.ask(question.dialog) { .decided($0) }]
    }

    func take(_ answer: Deletion.Answer) -> [Effect] {
        switch answer {
        case .delete(let deletion):
            [
                .notify(.information("deleting…")),
                .work(deletion.deleting.map { .deleted($0) }),
            ]
        case .keep: []
        }
    }
}
