internal import Capture

/// Which screen shows what: the one place where screens name each other.
enum Screens {
    /// The whole of an exchange.
    static func detail(of row: ExchangeRow) -> any ScreenModel { DetailScreen(row) }
}
