internal import ProxydCaptureModel
internal import ProxydFilter

/// Deletes the marked rows, or all that match the filter, after a confirmation.
extension ListScreen {
    /// Asks whether to delete the marked exchanges, or the selected one if none is marked.
    func startDeleting(_ context: Context) -> [Effect] {
        let ids = marks.isEmpty ? [window.selectedRow?.id].compactMap { $0 } : marks.sorted()
        guard !ids.isEmpty else { return [] }
        return [count(Deletion(subject: .exchanges(ids)), context)]
    }

    /// Asks whether to delete all exchanges that match the filter.
    func startClearing(_ context: Context) -> [Effect] {
        guard let extent else { return [] }
        return [
            count(Deletion(subject: .filter(filter.text, lastID: extent.lastID)), context)
        ]
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
