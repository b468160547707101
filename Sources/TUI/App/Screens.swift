internal import ProxydCaptureModel
internal import ProxydFilter

/// Which screen shows what: the one place where screens name each other.
enum Screens {
    /// The whole of an exchange, with those beside it in a list within reach.
    static func detail(
        of row: ExchangeRow, filter: Filter = .everything, order: RowOrder = .recorded
    ) -> any ScreenModel {
        DetailScreen(row, filter: filter, order: order)
    }
}
