internal import ProxydCaptureModel

/// The list as a waterfall: the same rows, with bars instead of columns.
extension ListScreen {
    /// Performs an action on the bars; returns nil for actions on rows.
    mutating func performOnWaterfall(_ action: ActionID, _ context: Context) -> [Effect]? {
        if action == .showWaterfall {
            waterfall = waterfall == nil ? Waterfall() : nil
            return []
        }
        guard waterfall != nil else { return nil }
        let (rows, now) = (window.visible, context.now)
        let moment = window.selectedRow?.startedAtNs
        switch action {
        case .zoomIn: waterfall?.zoom(by: 0.5, around: moment, rows, now: now)
        case .zoomOut: waterfall?.zoom(by: 2, around: moment, rows, now: now)
        case .zoomFit: waterfall?.fit()
        case .earlier: waterfall?.pan(by: -0.25, rows, now: now)
        case .later: waterfall?.pan(by: 0.25, rows, now: now)
        default: return nil
        }
        return []
    }

    /// Reads the timelines of the visible rows.
    mutating func readTimelines() -> [Effect] {
        guard let work = waterfall?.read(window.visible) else { return [] }
        return [.work(work.map { .timelines($0) })]
    }
}
