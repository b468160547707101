internal import ProxydCaptureModel
internal import ProxydFilter

/// Deleting what is marked, or what the filter shows, after a question.
extension ListScreen {
    /// Asks whether to delete the marked exchanges, or the selected one where none is marked.
    func startDeleting(_ context: Context) -> [Effect] {
        let ids = marks.isEmpty ? [window.selectedRow?.id].compactMap { $0 } : marks.sorted()
        guard !ids.isEmpty else { return [] }
        return [Deletion(subject: .exchanges(ids)).counting(context)]
    }

    /// Asks whether to delete all that the filter shows.
    func startClearing(_ context: Context) -> [Effect] {
        guard let extent else { return [] }
        return [
            Deletion(subject: .filter(filter.text, lastID: extent.lastID)).counting(context)
        ]
    }
}
