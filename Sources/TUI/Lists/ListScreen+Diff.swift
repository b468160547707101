internal import ProxydCaptureModel
internal import ProxydHTTPModel

extension ListScreen {
    /// Compares the two marked exchanges, or a marked one with the selected one.
    func compare() -> [Effect] {
        var chosen = marks.sorted()
        if chosen.count == 1, let selected = window.selectedRow?.id, !marks.contains(selected) {
            chosen.append(selected)
        }
        guard chosen.count == 2 else {
            return [
                .notify(.problem("mark two exchanges with m, or mark one and select another"))
            ]
        }
        return [.open(DiffScreen(chosen[0], chosen[1]))]
    }
}
